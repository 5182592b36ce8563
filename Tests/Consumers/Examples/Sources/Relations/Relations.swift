// A custom migration that reads and writes relationships of each kind. Later versions rename, add and remove what it uses.
