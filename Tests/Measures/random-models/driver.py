"""The program that generates and migrates, and the folders of models."""

import json
import shutil
import subprocess


class Mismatch(Exception):
    """A difference between Strata and the interpreter."""


class Driver:
    """The program that generates and migrates."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise SystemExit(f"error: the driver crashed; its last request was {json.dumps(request)}")
        return json.loads(line)

    def must(self, **request):
        reply = self.ask(**request)
        if "error" in reply:
            raise Mismatch(f"{request['action']} {request.get('way', '')} failed: {reply['error']}")
        return reply

    def generate(self, folder, model):
        """Generates the files of a model, as if all versions but the newest had been released."""
        older = model.versions[model.oldest:-1]
        release = ["release", str(folder), "--untested", "--version", older[-1]]
        self.must(action="strata", arguments=release if older else ["generate", str(folder)])


def write(folder, files):
    """Writes the descriptions of a model."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "strata.json").write_text("{}")
    for name, description in files.items():
        (folder / name).write_text(json.dumps(description, ensure_ascii=False, indent=1))
