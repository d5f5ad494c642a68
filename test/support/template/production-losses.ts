/** Finds what production would lose by a template: tables, keys and secrets that it drops, replaces, or no longer protects. */
import { isDeepStrictEqual } from 'node:util';
import { productionState } from '../../template/production-state.ts';
import type { TemplateResource } from './stage-templates.ts';

type Resources = Readonly<Record<string, TemplateResource>>;

/** The properties of each type whose change makes CloudFormation replace the resource or its value. */
const identity: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage'],
  'AWS::SecretsManager::Secret': ['Name', 'GenerateSecretString'],
};

/** Tables whose rows can be rebuilt, or are worthless after a day. */
const notRestorable = [
  'rate-counters',
  'one-time-passwords',
  'otp-traffic',
  'count-journal',
  'sender-pace',
  'signing-keys',
  'simulator-outbox',
];

/** One sentence for each loss. */
export function lossesIn(resources: Resources): string[] {
  const stateful = statefulOf(resources);
  const dropped = Object.keys(productionState)
    .filter((id) => stateful[id] === undefined)
    .map((id) => `${id} is dropped`);
  const changed = Object.entries(stateful)
    .filter(([id, state]) => !isDeepStrictEqual(state, productionState[id]))
    .map(([id]) =>
      productionState[id] === undefined
        ? `${id} is not listed in production-state.ts`
        : `${id} is replaced by another`,
    );
  const unprotected = Object.keys(stateful).flatMap((id) => {
    const resource = resources[id];
    return resource === undefined ? [] : gapsOf(resource).map((gap) => `${id} ${gap}`);
  });
  return [...dropped, ...changed, ...unprotected];
}

function statefulOf(resources: Resources): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
      const named = identity[Type]?.map((name) => [name, Properties[name]] as const);
      if (named === undefined) return [];
      const stated = named.filter(([, value]) => value !== undefined);
      return [[id, { Type, ...Object.fromEntries(stated) }]];
    }),
  );
}

/** How a resource or its rows could be lost later. */
function gapsOf({ Type, Properties, DeletionPolicy, UpdateReplacePolicy }: TemplateResource): string[] {
  // Tables are also kept when the first deploy fails, because CloudFormation cannot delete a protected table.
  const kept = Type === 'AWS::DynamoDB::Table' ? 'Retain' : 'RetainExceptOnCreate';
  const gaps = DeletionPolicy === kept ? [] : ['goes with the stack'];
  if (UpdateReplacePolicy !== 'Retain') gaps.push('goes where it is replaced');
  if (Type !== 'AWS::DynamoDB::Table') return gaps;
  if (Properties.DeletionProtectionEnabled !== true) gaps.push('can be deleted by hand');
  const isRestorable = Properties.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled === true;
  const mustBe = !notRestorable.some((name) => String(Properties.TableName).endsWith(`-${name}`));
  if (mustBe && !isRestorable) gaps.push('cannot be restored');
  const types = Properties.AttributeDefinitions as readonly { AttributeType: string }[];
  if (types.some(({ AttributeType }) => AttributeType !== 'S')) gaps.push('has a key that is no string');
  const purgedBy = Properties.TimeToLiveSpecification?.AttributeName ?? 'purge_at';
  if (purgedBy !== 'purge_at') gaps.push(`has its rows purged by ${purgedBy}`);
  return gaps;
}
