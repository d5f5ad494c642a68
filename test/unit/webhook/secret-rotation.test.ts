import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { isLive } from '../../../shared/client/client.ts';
import { withNewWebhookSecret } from '../../../shared/client/client-admin.ts';
import {
  cachedWebhookSecrets,
  replaceWebhookSecrets,
  type WebhookSecret,
} from '../../../shared/client/webhook-secrets.dynamo.ts';
import { signatureHeaders } from '../../../shared/webhook/deliver/sign-and-post.ts';
import { testContext } from '../../support/engine/test-context.ts';

const startMs = Date.parse('2026-11-20T10:00:00.000Z');
const dayMs = 86_400_000;
const cacheMaxMs = 30_000;
/** The longest call to DynamoDB with all retries of the SDK. */
const callMaxMs = 13_000;
/** The largest difference between the clocks of two functions. */
const skewMaxMs = 4000;
const body = '{"event":"sms.delivered","data":{"reference":"Grüße 👋"}}';

const secretText = (n: number) => `whsec_${Buffer.alloc(32, n + 1).toString('base64')}`;

interface Version {
  readonly storedAtMs: number;
  readonly secrets: readonly WebhookSecret[];
}

/**
 * The rows of a client whose secret is rotated; each write starts `gapMs` after the previous one was stored. A rotation
 * that is refused, because two secrets are in use, writes none.
 */
interface Rotation {
  readonly gapMs: number;
  readonly writeMs: number;
  readonly overlapHours?: number | undefined;
}

function rowsOf(rotations: readonly Rotation[]): readonly Version[] {
  const versions: Version[] = [
    { storedAtMs: startMs, secrets: withNewWebhookSecret(secretText(0), [], new Date(startMs)) },
  ];
  for (const { gapMs, writeMs, overlapHours } of rotations) {
    const before = versions.at(-1) as Version;
    const createdAtMs = before.storedAtMs + gapMs;
    try {
      const secrets = withNewWebhookSecret(
        secretText(versions.length),
        before.secrets,
        new Date(createdAtMs),
        overlapHours,
      );
      versions.push({ storedAtMs: createdAtMs + writeMs, secrets });
    } catch (error) {
      expect(error).toMatchObject({ code: 'secret_limit_reached' });
    }
  }
  return versions;
}

const storedAt = (versions: readonly Version[], atMs: number) =>
  versions.findLast(({ storedAtMs }) => storedAtMs <= atMs)?.secrets ?? [];

/** A row loses a secret once it has ended; until then, by the clock of the worker that signs, the endpoint knows it. */
function givenOut(versions: readonly Version[], atMs: number): readonly WebhookSecret[] {
  const stored = versions.filter(({ storedAtMs }) => storedAtMs <= atMs);
  const last = new Map(stored.flatMap(({ secrets }) => secrets.map((one) => [one.secret, one])));
  return [...last.values()];
}

const plainHolds = (headers: Record<string, string>, secret: string) =>
  headers['x-webhook-signature'] === createHmac('sha256', secret).update(body).digest('hex');

const libraries = new Map<string, Webhook>();

function standardHolds(headers: Record<string, string>, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
  const library = libraries.get(secret) ?? new Webhook(secret);
  libraries.set(secret, library);
  // The library's signature for the time in the headers: its `verify` accepts the current time only.
  const expected = library.sign(String(id), new Date(Number(timestamp) * 1000), body);
  return headers['webhook-signature']?.split(' ').includes(expected) ?? false;
}

const rotations = fc.array(
  fc.record({
    gapMs: fc.oneof(
      fc.integer({ min: 0, max: 120_000 }),
      fc.integer({ min: 0, max: Math.floor(1.3 * dayMs) }),
    ),
    writeMs: fc.integer({ min: 0, max: callMaxMs }),
    overlapHours: fc.constantFrom(undefined, 0, 1, 72),
  }),
  { maxLength: 7 },
);
const worker = fc.record({
  cacheAgeMs: fc.integer({ min: 0, max: cacheMaxMs }),
  claimMs: fc.integer({ min: 0, max: callMaxMs }),
  skewMs: fc.integer({ min: -skewMaxMs, max: skewMaxMs }),
});

/** What a worker signs at `atMs` of its clock, with the secrets that it read before. */
function signedBy(
  versions: readonly Version[],
  atMs: number,
  { cacheAgeMs, claimMs, skewMs }: { cacheAgeMs: number; claimMs: number; skewMs: number },
): Record<string, string> | undefined {
  const known = storedAt(versions, atMs - skewMs - cacheAgeMs - claimMs);
  return known.length === 0 ? undefined : signatureHeaders('whd_1', body, known, new Date(atMs));
}

/**
 * Whether the row that a worker read has each secret that is live by its clock. A row loses a secret at its end, and a clock that is
 * behind sees that secret as live for a moment more: the worker signs with the next one, which the endpoint knows.
 */
function hasAllLive(
  versions: readonly Version[],
  atMs: number,
  { cacheAgeMs, claimMs, skewMs }: { cacheAgeMs: number; claimMs: number; skewMs: number },
): boolean {
  const readAtMs = atMs - skewMs - cacheAgeMs - claimMs;
  const known = new Set(storedAt(versions, readAtMs).map(({ secret }) => secret));
  return givenOut(versions, readAtMs).every((one) => known.has(one.secret) || !isLive(one, new Date(atMs)));
}

/** The times of all changes, to the millisecond, and some times between them. */
function momentsOf(versions: readonly Version[], more: readonly number[]): number[] {
  const secrets = versions.flatMap((version) => version.secrets);
  const changes = secrets.flatMap(({ created_at, active_at = created_at, expires_at = created_at }) =>
    [created_at, active_at, expires_at].flatMap((time) => [Date.parse(time) - 1, Date.parse(time)]),
  );
  const lastMs = (versions.at(-1)?.storedAtMs ?? startMs) + 2 * dayMs;
  const between = more.map((part) => startMs + Math.floor(part * (lastMs - startMs)));
  return [...new Set([...changes, ...between])].filter(
    (atMs) => atMs > startMs + callMaxMs + cacheMaxMs + skewMaxMs,
  );
}

const parts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 10 });
const workers = fc.array(worker, { minLength: 1, maxLength: 4 });

/** The second rotation begins in the millisecond in which the first ends its predecessor. */
const rotatedAtTheEnd = [
  { gapMs: 0, writeMs: 7371, overlapHours: 0 as const },
  { gapMs: 52_629, writeMs: 0, overlapHours: undefined },
];
const worksAt = (skewMs: number) => ({ cacheAgeMs: 0, claimMs: 0, skewMs });

describe('the rotation of a webhook secret', () => {
  it('is accepted by endpoints with any live secret, at any time and by any worker', () => {
    fc.assert(
      fc.property(rotations, parts, workers, (rotated, more, signers) => {
        const versions = rowsOf(rotated);
        const refused: string[] = [];
        for (const atMs of momentsOf(versions, more)) {
          for (const signer of signers) {
            const headers = signedBy(versions, atMs, signer) ?? {};
            const row = storedAt(versions, atMs - signer.skewMs);
            for (const { secret, created_at, active_at = created_at, expires_at } of row) {
              if (
                atMs < Date.parse(active_at) ||
                (expires_at !== undefined && atMs >= Date.parse(expires_at))
              )
                continue;
              if (!standardHolds(headers, secret))
                refused.push(`${secret} at ${new Date(atMs).toISOString()}`);
            }
            const known = givenOut(versions, atMs - signer.skewMs).filter((one) =>
              isLive(one, new Date(atMs)),
            );
            if (!known.some(({ secret }) => plainHolds(headers, secret)))
              refused.push(`X-Webhook-Signature at ${new Date(atMs).toISOString()}`);
          }
        }
        expect(refused).toEqual([]);
      }),
      // The row loses a secret at its end, and a clock that is a millisecond behind still signs with it.
      { examples: [[rotatedAtTheEnd, [], [{ cacheAgeMs: 0, claimMs: 1, skewMs: -1 }]]] },
    );
  });

  it('makes all workers sign with the same secrets at any time, so that a new secret is never used early', () => {
    fc.assert(
      fc.property(rotations, parts, workers, (rotated, more, signers) => {
        const versions = rowsOf(rotated);
        const differing: number[] = [];
        for (const atMs of momentsOf(versions, more)) {
          const signed = signers
            .filter((signer) => hasAllLive(versions, atMs, signer))
            .map((signer) => signedBy(versions, atMs, signer));
          if (new Set(signed.map((headers) => JSON.stringify(headers))).size > 1) differing.push(atMs);
        }
        expect(differing).toEqual([]);
      }),
      { examples: [[rotatedAtTheEnd, [], [worksAt(-1), worksAt(0)]]] },
    );
  });

  it('follows the order of the contract, to the millisecond', () => {
    const [first, second] = rowsOf([{ gapMs: dayMs, writeMs: 0 }]);
    const createdAtMs = startMs + dayMs;
    const activeAtMs = createdAtMs + 60_000;
    const at = (atMs: number) => {
      const headers = signatureHeaders('whd_1', body, second?.secrets ?? [], new Date(atMs));
      const holding = (holds: typeof plainHolds) => [0, 1].filter((n) => holds(headers, secretText(n)));
      return { plain: holding(plainHolds), standard: holding(standardHolds) };
    };
    expect(first?.secrets).toMatchObject([{ active_at: new Date(startMs).toISOString() }]);
    expect(at(createdAtMs)).toEqual({ plain: [0], standard: [0] });
    expect(at(activeAtMs - 1)).toEqual({ plain: [0], standard: [0] });
    expect(at(activeAtMs)).toEqual({ plain: [0], standard: [0, 1] });
    expect(at(activeAtMs + dayMs - 1)).toEqual({ plain: [0], standard: [0, 1] });
    expect(at(activeAtMs + dayMs)).toEqual({ plain: [1], standard: [1] });
  });

  it('leaves only the new secret from the moment it is active, where no overlap is wanted, also after other rotations', () => {
    const last = rowsOf([
      { gapMs: dayMs, writeMs: 0, overlapHours: 72 },
      { gapMs: dayMs, writeMs: 0, overlapHours: 0 },
    ]).at(-1);
    const activeAtMs = startMs + 2 * dayMs + 60_000;
    const signing = (atMs: number) => {
      const headers = signatureHeaders('whd_1', body, last?.secrets ?? [], new Date(atMs));
      return [0, 1, 2].filter((n) => standardHolds(headers, secretText(n)));
    };
    expect([signing(activeAtMs - 1), signing(activeAtMs)]).toEqual([[0, 1], [2]]);
  });

  it('is known to every worker when the new secret becomes active: no cache entry is older', async () => {
    let nowMs = startMs;
    const context = testContext(undefined, { clock: () => new Date(nowMs) });
    const first = rowsOf([])[0]?.secrets ?? [];
    await replaceWebhookSecrets(context, 'c', [], first);
    await cachedWebhookSecrets(context, 'c');
    const rotated = withNewWebhookSecret(secretText(1), first, new Date(nowMs));
    await replaceWebhookSecrets(context, 'c', first, rotated);
    nowMs += cacheMaxMs;
    expect(await cachedWebhookSecrets(context, 'c')).toEqual(rotated);
  });

  it('signs with a secret that is not active yet if there is no other', () => {
    const [version] = rowsOf([]);
    const rotated = withNewWebhookSecret(secretText(1), version?.secrets ?? [], new Date(startMs));
    const alone = rotated.slice(0, 1);
    const headers = signatureHeaders('whd_1', body, alone, new Date(startMs));
    expect(plainHolds(headers, secretText(1))).toBe(true);
  });
});
