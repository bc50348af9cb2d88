"""What the kernel runs, as a block of bytes: the same here, in hosts and in exported FMUs."""
