"""Which functions wait for other threads, or need their index: what texts and objects say."""
