"""One algorithm per file; `registry` chooses among them."""
