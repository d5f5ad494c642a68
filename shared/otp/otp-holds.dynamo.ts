/** The table `otp-holds`. A row that a person made invalid holds nothing, and allows nothing: a hold takes its place. */
import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { GatewayError, otpHeldText } from '../contract/errors.ts';
import { allCountries } from '../contract/otp-abuse.ts';
import { conditionalPut } from '../platform/aws/conditional-write.dynamo.ts';
import { scanRows } from '../platform/aws/read-rows.dynamo.ts';
import type { Clock } from '../platform/clock.ts';
import { CachedReader } from '../platform/expiring-cache.ts';
import { log } from '../platform/log.ts';

/** A hold of one-time passwords by SMS: of one client to one country, until an administrator allows them. */
const instant = z.iso.datetime();

const evidence = {
  client_id: z.string(),
  /** ISO 3166-1 alpha-2, or `ZZ`; `*` for all countries but those of `except`. */
  country: z.string(),
};

const otpHoldRow = z.discriminatedUnion('state', [
  z.object({
    ...evidence,
    state: z.literal('held'),
    held_at: instant,
    /** The judged passwords: from when, how many, and how many of them were verified. */
    since: instant,
    sends: z.number(),
    verified: z.number(),
    threshold: z.number(),
    usual_share: z.nullable(z.number()),
    /** Countries whose own passwords are verified well enough. */
    except: z.exactOptional(z.array(z.string())),
  }),
  z.object({
    ...evidence,
    state: z.literal('allowed'),
    /** Only passwords that were created later are judged. */
    allowed_at: instant,
    allowed_by: z.string(),
    /** Never held again, until an administrator allows without this. */
    always: z._default(z.boolean(), false),
  }),
]);

export type OtpHoldState = z.output<typeof otpHoldRow>;
export type OtpHold = Extract<OtpHoldState, { readonly state: 'held' }>;
type OtpAllowance = Extract<OtpHoldState, { readonly state: 'allowed' }>;

export type AssertNotHeld = (clientId: string, country: string) => Promise<void>;

/** In force this long after it is written or removed. A read takes half a read unit. */
export const rememberedSeconds = 20;
const rememberedClients = 2000;

/** @throws GatewayError `otp_held` */
export function holdCheck(
  holds: { ofClient(clientId: string): Promise<readonly OtpHoldState[]> },
  clock: Clock,
): AssertNotHeld {
  const held = new CachedReader(
    (clientId) => holds.ofClient(clientId),
    { maxAgeSeconds: rememberedSeconds, maxEntries: rememberedClients },
    clock,
  );
  return async (clientId, country) => {
    const states = await held.get(clientId);
    if (isHeld(states ?? [], country)) throw new GatewayError('otp_held', otpHeldText(country));
  };
}

/** An administrator's word for a country counts more than a hold of all of them. */
function isHeld(states: readonly OtpHoldState[], country: string): boolean {
  const own = states.find((state) => state.country === country);
  if (own?.state === 'held') return true;
  if (own?.state === 'allowed' && own.always) return false;
  return states.some(
    (state) =>
      state.country === allCountries && state.state === 'held' && state.except?.includes(country) !== true,
  );
}

export type OtpHoldStore = ReturnType<typeof dynamoOtpHolds>;

export function dynamoOtpHolds(client: DynamoDBDocumentClient, TableName: string) {
  return {
    async find(clientId: string, country: string): Promise<OtpHoldState | undefined> {
      const Key = { client_id: clientId, country };
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return statesIn([Item])[0];
    },

    /** The states of all its countries; may be a second old. */
    async ofClient(clientId: string): Promise<readonly OtpHoldState[]> {
      const { Items } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'client_id = :client',
          ExpressionAttributeValues: { ':client': clientId },
        }),
      );
      return statesIn(Items);
    },

    async listHeld(): Promise<readonly OtpHold[]> {
      const states = statesIn(await Array.fromAsync(scanRows(client, { TableName })));
      return states.filter((state) => state.state === 'held');
    },

    /** False if the state is no longer the one that was seen, or passwords are held already. */
    async hold(hold: OtpHold, seen: OtpAllowance | undefined): Promise<boolean> {
      const put = (before: Row | undefined, attributes: readonly string[]) =>
        conditionalPut(client, {
          TableName,
          Item: hold,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          ...unchanged(before, attributes),
        });
      // Where the response was lost, the SDK's repeat finds the row that was written.
      const isOwn = (row: Row | undefined): boolean => row?.held_at === hold.held_at;
      const holding = await put(seen, ['state', 'allowed_at']);
      if (holding.applied || isOwn(holding.row)) return true;
      if (seen !== undefined || holding.row === undefined || statesIn([holding.row]).length > 0) return false;
      log.error('row unreadable', { client_id: hold.client_id, country: hold.country });
      const replacing = await put(holding.row, ['state', 'allowed_at', 'held_at']);
      return replacing.applied || isOwn(replacing.row);
    },

    /** False where it would end an allowance for good that was not `seen`. */
    async allow(allowance: OtpAllowance, seen?: OtpHoldState): Promise<boolean> {
      const isForGood = allowance.always || (seen?.state === 'allowed' && seen.always);
      const { applied } = await conditionalPut(client, {
        TableName,
        Item: allowance,
        ...(isForGood
          ? {}
          : {
              ConditionExpression: 'attribute_not_exists(always) OR always <> :yes',
              ExpressionAttributeValues: { ':yes': true },
            }),
      });
      return applied;
    },
  };
}

type Row = Readonly<Record<string, unknown>>;

function unchanged(row: Row | undefined, names: readonly string[]) {
  if (row === undefined) return { ConditionExpression: 'attribute_not_exists(client_id)' };
  const given = names.filter((name) => row[name] !== undefined);
  return {
    ConditionExpression: names
      .map((name) => (given.includes(name) ? `#${name} = :${name}` : `attribute_not_exists(#${name})`))
      .join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(given.map((name) => [`:${name}`, row[name]])),
  };
}

function statesIn(items: readonly unknown[] = []): OtpHoldState[] {
  return items.flatMap((item) => otpHoldRow.safeParse(item).data ?? []);
}
