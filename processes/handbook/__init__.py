"""What can be told of a kind without running it: pages about its steps, read from their code."""
