/** What a template would have production lose: a table, key or secret that it drops, replaces, or no longer protects. */
import { isDeepStrictEqual } from 'node:util';
import { productionState } from '../../template/production-state.ts';
import type { TemplateResource } from './stage-templates.ts';

type Resources = Readonly<Record<string, TemplateResource>>;

/** The properties of each type by whose change CloudFormation makes a new one, or a new value, in its place. */
const identity: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage'],
  'AWS::SecretsManager::Secret': ['Name', 'GenerateSecretString'],
};

/** Rows that something else brings back, or that are worth nothing after a day. */
const notRestorable = ['rate-counters', 'batches', 'one-time-passwords', 'usage', 'signing-keys'];

/** One sentence for each loss; empty where a deploy of these resources loses nothing. */
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

/** How a resource that stands could still be lost, or its rows. */
function gapsOf({ Type, Properties, DeletionPolicy, UpdateReplacePolicy }: TemplateResource): string[] {
  // A table is kept of a first deploy that fails, too: it is protected, so CloudFormation could not delete it.
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
