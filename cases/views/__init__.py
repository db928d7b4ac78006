"""The pages of casework, one module a subject. Each parses, makes one call, and answers."""
