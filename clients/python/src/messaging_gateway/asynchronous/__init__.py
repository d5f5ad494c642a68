"""The asynchronous client. `npm run clients:generate` makes the synchronous one of it, in `generated`."""
