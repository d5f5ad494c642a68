/** Reads from a template which actions each function may perform on each resource. */
import type { TemplateResource } from './stage-templates.ts';

/** By function and resource: the actions, sorted. */
type FunctionActions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

type Resources = Readonly<Record<string, TemplateResource>>;

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Resources other than tables: a pattern of the logical id, and the name to show. */
const names: readonly [RegExp, string][] = [
  [/^Messaging(OtpOutbound|Outbound|BulkOutbound|Receipts)Queue/, 'queue $1'],
  [/^Messaging(RelayDeadLetters)/, 'queue $1'],
  [/^WebhooksQueue/, 'queue Webhooks'],
  [/^Webhooks(WebhookRetries)Queue/, 'queue $1'],
  [/^TokenKey/, 'token key'],
  [/^OtpSecret/, 'OTP secret'],
  [/^SchedulesRole/, 'schedule role'],
  [/^MessagingCarriersSmsConfigurationSet/, 'SMS senders'],
  [/Log[0-9A-F]{8}$/, 'its own log'],
];

/** The statements of a role's inline policies. */
export function statementsOf(role: TemplateResource['Properties']): readonly Statement[] {
  const policies = (role.Policies ?? []) as readonly { PolicyDocument: { Statement: Statement[] } }[];
  return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

/** The function of each role, by the role's logical id. */
export function roleFunctions(resources: Resources): ReadonlyMap<string, string> {
  return new Map(
    Object.values(resources)
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .map(({ Properties }) => [
        Properties.Role['Fn::GetAtt'][0],
        String(Properties.Description).split(': ').at(-1) ?? '',
      ]),
  );
}

export function actionsOf(resources: Resources): FunctionActions {
  const functionOf = roleFunctions(resources);
  const found: Record<string, Record<string, Set<string>>> = {};
  for (const [id, { Type, Properties }] of Object.entries(resources)) {
    if (Type !== 'AWS::IAM::Role') continue;
    const name = functionOf.get(id);
    if (name === undefined) continue;
    for (const { Action, Resource } of statementsOf(Properties)) {
      for (const resource of [Resource].flat()) {
        const label = labelOf(resource, resources);
        const actions = new Set([...(found[name]?.[label] ?? []), ...[Action].flat()]);
        found[name] = { ...found[name], [label]: actions };
      }
    }
  }
  return sorted(found);
}

function labelOf(resource: unknown, resources: Resources): string {
  const text = JSON.stringify(resource);
  const [, id = ''] = /"(?:Ref|Fn::GetAtt)":\[?"((?!AWS::)\w+)"/.exec(text) ?? [];
  const made = resources[id];
  if (made?.Type === 'AWS::DynamoDB::Table') {
    const table = String(made.Properties.TableName).replace(/^messaging-gateway-[a-z]+-/, '');
    const [, index] = /\/index\/([\w-]+)/.exec(text) ?? [];
    if (text.includes('StreamArn')) return `${table} stream`;
    return index === undefined ? table : `${table}/${index}`;
  }
  for (const [pattern, label] of names) {
    const match = pattern.exec(id);
    if (match !== null) return label.replace('$1', match[1] ?? '');
  }
  if (text.includes(':schedule/')) return 'schedules';
  if (text.includes(':iam::*:role/*')) return "clients' roles";
  if (/:(phone-number|sender-id|pool)\//.test(text)) return 'SMS senders';
  if (text.includes(':social-messaging:')) return 'WhatsApp number';
  if (resource === '*') return 'everything';
  return id === '' ? text : id;
}

function sorted(found: Record<string, Record<string, Set<string>>>): FunctionActions {
  const byName = <T>([a]: [string, T], [b]: [string, T]): number => a.localeCompare(b);
  return Object.fromEntries(
    Object.entries(found)
      .sort(byName)
      .map(([name, ofFunction]) => [
        name,
        Object.fromEntries(
          Object.entries(ofFunction)
            .sort(byName)
            .map(([resource, actions]) => [resource, [...actions].sort()]),
        ),
      ]),
  );
}

/** One row for each function and resource; the log and X-Ray, which every function may write to, are left out. */
export function permissionTable(actions: FunctionActions): string {
  const rows = Object.entries(actions).flatMap(([name, ofFunction]) =>
    Object.entries(ofFunction)
      .filter(([resource]) => resource !== 'its own log' && resource !== 'everything')
      .map(([resource, names]) => {
        const shown = names.map((one) => one.replace(/^(dynamodb|sqs):/, '')).join(', ');
        return `| \`${name}\` | ${resource} | ${shown} |`;
      }),
  );
  return ['| Function | Resource | Actions |', '|---|---|---|', ...rows].join('\n');
}
