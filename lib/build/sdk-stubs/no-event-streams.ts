/**
 * Replaces `@smithy/core/event-streams` in bundles, because the gateway calls no operation that streams events. This saves
 * 20 KB, and 7 to 11 ms of CPU at each start.
 */
export class EventStreamSerde {
  constructor() {
    throw notBundled();
  }
}

export function eventStreamSerdeProvider(): never {
  throw notBundled();
}

function notBundled(): Error {
  return new Error('event streams are not in this bundle: see lib/build/bundle.ts');
}
