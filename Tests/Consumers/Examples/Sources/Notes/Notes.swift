// README's example, from its first version to a custom migration.
