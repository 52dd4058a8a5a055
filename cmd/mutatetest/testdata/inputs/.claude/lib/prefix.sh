# Whether a command begins with a rule.
matches() { [[ $1 == "$2"* ]]; }
