"""Decision tables: rules that an organisation reads, changes and tests as a table."""
