/** What promises are measured with: requests to the stage, clients of its own, the clock, and the stage's parts on AWS. */
import type { SecureVersion } from 'node:tls';

export interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; empty where the response is not JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly tookMs: number;
}

export interface Request {
  /** Sent as JSON; a text is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client that exists for this run only. */
export interface Visitor {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Requests with the client's API key. */
  call(method: string, path: string, request?: Request): Promise<Response>;
  limitPerMinute(endpoint: string, perMinute: number): Promise<void>;
}

export interface StageOnAws {
  /** The types of the stack's resources. */
  resourceTypes(): Promise<ReadonlySet<string>>;
  /** What tables lack of their declaration: deletion of old rows, recovery, stream. */
  tableFaults(): Promise<readonly string[]>;
  /**
   * Makes a one-shot schedule in the stage's group with its role, to a queue of its own, and removes both.
   *
   * @returns when Scheduler sent, or undefined where it had not at the end of the wait
   */
  fireSchedule(at: Date, waitSeconds: number): Promise<Date | undefined>;
  /** The stage's alarm on a dead-letter queue that is empty; undefined where it has none. */
  idleAlarm(): Promise<Alarm | undefined>;
}

export interface Alarm {
  readonly name: string;
  state(): Promise<string>;
  /** Puts a message into the queue that it watches. */
  raise(): Promise<void>;
  /** Takes that message out again; does nothing where it is gone. */
  lower(): Promise<void>;
}

export interface VerifiedStage {
  readonly baseUrl: string;
  /** Whether it is on this machine: there is no TLS, no Lambda and no CloudWatch to be measured. */
  readonly isLocal: boolean;
  /** Requests without credentials. */
  call(method: string, path: string, request?: Request): Promise<Response>;
  /** Whether it completes a handshake of this version. */
  acceptsTls(version: SecureVersion): Promise<boolean>;
  newVisitor(purpose: string): Promise<Visitor>;
  /** Where webhooks can be received: its URL, and the requests that came. */
  readonly receiver: Receiver | undefined;
  readonly aws: StageOnAws;
  readonly now: () => Date;
  readonly pause: (milliseconds: number) => Promise<void>;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly { readonly headers: Readonly<Record<string, string>>; readonly body: string }[];
}

/** Seldom enough that the requests of all promises together stay below a client's limits. */
const askEveryMs = 3000;

/** A machine that builds and tests meanwhile is slow, which says nothing about the gateway. */
export const localLateSeconds = 60;

/** By how much a stage may miss a time: what is promised, or more on this machine. */
export const lateMsOf = ({ isLocal }: Pick<VerifiedStage, 'isLocal'>, promisedMs: number): number =>
  isLocal ? localLateSeconds * 1000 : promisedMs;

/** Asks until there is a response; undefined where the time is over, which comes later on this machine. */
export async function waitFor<Found>(
  { now, pause, isLocal }: Pick<VerifiedStage, 'now' | 'pause' | 'isLocal'>,
  seconds: number,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const until = now().getTime() + seconds * 1000 + (isLocal ? localLateSeconds * 1000 : 0);
  for (;;) {
    const found = await look();
    if (found !== undefined || now().getTime() >= until) return found;
    await pause(askEveryMs);
  }
}
