"""The page of the customer: what a kind tells them, how they come in, what they see and do."""
