/** Who may do what, read from a template: each function's actions on each resource, in the words of a person. */
import type { TemplateResource } from './stage-templates.ts';

/** By function and resource: the actions, sorted. */
export type FunctionActions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

type Resources = Readonly<Record<string, TemplateResource>>;

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
}

/** What may be called by a name that is no table's: by the construct that makes it. */
const names: readonly [RegExp, string][] = [
  [/^Messaging(Outbound|Receipts)Queue/, 'queue $1'],
  [/^Messaging(RelayDeadLetters)/, 'queue $1'],
  [/^WebhooksQueue/, 'queue Webhooks'],
  [/^Webhooks(SlowWebhooks)Queue/, 'queue $1'],
  [/^TokenKey/, 'token key'],
  [/^OtpSecret/, 'OTP secret'],
  [/^SchedulesRole/, 'schedule role'],
  [/^MessagingCarriersSmsConfigurationSet/, 'SMS senders'],
  [/Log[0-9A-F]{8}$/, 'its own log'],
];

/** What a role may do by the policies that it holds. */
export function statementsOf(role: TemplateResource['Properties']): readonly Statement[] {
  const policies = (role.Policies ?? []) as readonly { PolicyDocument: { Statement: Statement[] } }[];
  return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

export function actionsOf(resources: Resources): FunctionActions {
  const functionOf = new Map<string, string>();
  for (const { Type, Properties } of Object.values(resources)) {
    if (Type !== 'AWS::Lambda::Function') continue;
    functionOf.set(Properties.Role['Fn::GetAtt'][0], String(Properties.Description).split(': ').at(-1) ?? '');
  }
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

/** The rows of the table in docs/permissions.md, without what every function may do. */
export function actionRows(actions: FunctionActions): string[] {
  return Object.entries(actions).map(([name, ofFunction]) => {
    const rights = Object.entries(ofFunction)
      .filter(([resource]) => resource !== 'its own log' && resource !== 'everything')
      .map(
        ([resource, names]) => `${resource}: ${names.map((one) => one.replace('dynamodb:', '')).join(', ')}`,
      );
    return `| \`${name}\` | ${rights.join('<br>')} |`;
  });
}
