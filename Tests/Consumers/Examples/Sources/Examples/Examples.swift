// The cases that take a person: each entity of the model is one, and `Migrations` has the code.
