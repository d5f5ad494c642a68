/**
 * Both runs, one after the other: messages on their whole road, then webhooks alone with queues that lose messages too.
 * `npm run test:faults -- [seed] [how many]`; exits with 1 if either found anything wrong.
 */
await import('./messages.ts');
await import('./webhooks.ts');
