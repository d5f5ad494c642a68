"""Made by `npm run clients:generate`."""
