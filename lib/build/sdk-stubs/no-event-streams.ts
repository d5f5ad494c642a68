/** What a bundle takes for `@smithy/core/event-streams`: no operation that the gateway calls streams events. */
export class EventStreamSerde {
  constructor() {
    throw new Error('event streams are no part of this bundle: see lib/build/bundle.ts');
  }
}

export function eventStreamSerdeProvider(): never {
  throw new Error('event streams are no part of this bundle: see lib/build/bundle.ts');
}
