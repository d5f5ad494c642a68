/** Replaces `@smithy/core/event-streams` in bundles: the gateway calls no operation with event streams. */
export class EventStreamSerde {
  constructor() {
    throw new Error('event streams are not in this bundle: see lib/build/bundle.ts');
  }
}

export function eventStreamSerdeProvider(): never {
  throw new Error('event streams are not in this bundle: see lib/build/bundle.ts');
}
