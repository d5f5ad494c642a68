/**
 * Both runs, one after the other: messages from request to webhook, then only webhooks, with queues that also lose messages.
 * `npm run test:faults -- [seed] [how many]`; exits with 1 if either found anything wrong.
 */
await import('./messages.ts');
await import('./webhooks.ts');
