/**
 * All runs, one after the other: messages from request to webhook, then messages of people, then only webhooks, with queues
 * that also lose messages, then webhooks that are resent after an outage, then a campaign for which no schedule can be
 * created, then limits that change and are edited by hand.
 * `npm run test:all -- faults [seed] [how many]`; exits with 1 if one found anything wrong.
 */
await import('./messages.ts');
await import('./inbound.ts');
await import('./webhooks.ts');
await import('./resends.ts');
await import('./campaign.ts');
await import('./limits.ts');
