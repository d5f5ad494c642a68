/** The tables, queues and functions of production, as docs/architecture.md shows them: who writes, reads and starts what. */

import { type TableName, type TableShape, tableShapes } from '../../../shared/contract/tables.ts';
import { statuses, transitions } from '../../../shared/message/message.ts';
import { usageKeptDays } from '../../../shared/usage/period.ts';
import { actionsOf, roleFunctions } from '../template/function-actions.ts';
import { refOf, synthesized, type TemplateResource } from '../template/stage-templates.ts';

type PurgedTable = {
  [Name in TableName]: (typeof tableShapes)[Name] extends { readonly purged: true } ? Name : never;
}[TableName];

/** How long a row lives that has a time of its own. */
const lifetimes: Readonly<Record<PurgedTable, string>> = {
  'rate-counters': '2 days after its day or month',
  'one-time-passwords': '1 day after the password expired',
  'otp-traffic': '2 days (minutes), 31 (days)',
  'message-usage': `${usageKeptDays} days after its period`,
  'count-journal': 'until they are added up; positions 3 days',
  'sender-pace': '7 days after its last message',
  suppressions: '60 days after it ended',
  'whatsapp-windows': '2 days; contacts `retentionDays`',
};

const writing = /(PutItem|UpdateItem|DeleteItem|BatchWriteItem)$/;
const reading = /(GetItem|Query|Scan|ConditionCheckItem)$/;
/** More functions of the API than these are counted and not named. */
const namedApiFunctionsMax = 2;

export function tableTable(): string {
  const { resources } = synthesized('production');
  const actions = Object.entries(actionsOf(resources));
  const ofApi = new Set(apiFunctions(resources));
  const shown = (table: string, kind: RegExp): string => {
    const names = actions
      .filter(([, ofFunction]) =>
        Object.entries(ofFunction).some(
          ([resource, names]) => resource.split('/')[0] === table && names.some((name) => kind.test(name)),
        ),
      )
      .map(([name]) => name);
    const inApi = names.filter((name) => ofApi.has(name) && name !== 'admin-api');
    const others = names.filter((name) => !inApi.includes(name));
    const named = inApi.length > namedApiFunctionsMax ? [`${inApi.length} of the API`] : inApi;
    return [...named, ...others].join(', ') || '–';
  };
  const rows = Object.entries<TableShape>(tableShapes).map(([name, shape]) => {
    const inProduction = actions.some(([, ofFunction]) => name in ofFunction);
    const users = inProduction
      ? `${shown(name, writing)} | ${shown(name, reading)}`
      : 'only with the simulator | ';
    const key = [shape.partition, ...(shape.sort === undefined ? [] : [shape.sort])].join(', ');
    return `| \`${name}\` (${key}) | ${users} | ${lifetimeOf(name, shape)} |`;
  });
  return ['| Table (key) | Written by | Read by | A row lives |', '|---|---|---|---|', ...rows].join('\n');
}

function lifetimeOf(name: string, { purged }: TableShape): string {
  if (purged === undefined) return 'until it is deleted';
  return purged === true ? lifetimes[name as PurgedTable] : '`retentionDays`';
}

export function queueTable(): string {
  const { resources } = synthesized('production');
  const actions = Object.entries(actionsOf(resources));
  const shown = (queue: string, action: string): string =>
    actions
      .filter(([, ofFunction]) => ofFunction[queue]?.includes(action))
      .map(([name]) => name)
      .join(', ') || '–';
  const rows = Object.entries(resources)
    // Dead-letter queues have none themselves.
    .filter(
      ([, { Type, Properties }]) => Type === 'AWS::SQS::Queue' && Properties.RedrivePolicy !== undefined,
    )
    .map(([id, { Properties }]) => {
      const name = id.replace(/^(Messaging|Webhooks(?=Webhook))/, '').replace(/Queue[0-9A-F]{8}$/, '');
      const bySns = name === 'Receipts' ? 'AWS, by SNS; ' : '';
      const senders = `${bySns}${shown(`queue ${name}`, 'sqs:SendMessage')}`;
      const receives = Properties.RedrivePolicy.maxReceiveCount;
      return `| \`${name}\` | ${senders} | ${shown(`queue ${name}`, 'sqs:ReceiveMessage')} | ${receives} |`;
    });
  return [
    '| Queue | Sent to by | Received by | Receives before its dead-letter queue |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Returns a Mermaid flow chart of what starts each function. */
export function functionPicture(): string {
  const { resources } = synthesized('production');
  const starts = startsOf(resources).map(([source, name]) => `  ${source} --> ${name}`);
  const inApi = apiFunctions(resources).toSorted();
  const lines = Array.from({ length: Math.ceil(inApi.length / 4) }, (_, line) =>
    inApi.slice(line * 4, line * 4 + 4).join(', '),
  );
  return [
    '```mermaid',
    'flowchart LR',
    `  api([API Gateway]) --> operations["${lines.join('<br/>')}"]`,
    ...new Set(starts),
    '```',
  ].join('\n');
}

/** The transition table of messages, as a Mermaid state diagram. */
export function statePicture(): string {
  const edges = statuses.flatMap((status) => {
    const { from } = transitions[status];
    return from.length === 0 && status !== 'queued'
      ? [`  [*] --> ${status}`]
      : from.map((before) => `  ${before} --> ${status}`);
  });
  return ['```mermaid', 'stateDiagram-v2', '  [*] --> queued', ...edges, '```'].join('\n');
}

/** The functions that nothing but the API starts. */
function apiFunctions(resources: Readonly<Record<string, TemplateResource>>): string[] {
  const started = new Set(startsOf(resources).map(([, name]) => name));
  return [...new Set(roleFunctions(resources).values())].filter((name) => !started.has(name));
}

/** Each source, as a node of a flow chart, and the function that it starts. */
function startsOf(resources: Readonly<Record<string, TemplateResource>>): [source: string, name: string][] {
  const ofRole = roleFunctions(resources);
  /** By the function that is called, or its alias. */
  const nameOf = (target: unknown): string => {
    const [, id = ''] = /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(target)) ?? [];
    const isAlias = resources[id]?.Type === 'AWS::Lambda::Alias';
    const called = resources[isAlias ? refOf(resources[id]?.Properties.FunctionName) : id];
    return ofRole.get(called?.Properties.Role['Fn::GetAtt'][0]) ?? id;
  };
  return Object.values(resources).flatMap(({ Type, Properties }): [string, string][] => {
    if (Type === 'AWS::Scheduler::Schedule') {
      const every = String(Properties.ScheduleExpression).replace(/^rate\((?:1 )?(.+)\)$/, '$1');
      return [[`every-${every.replace(' ', '-')}(["every ${every}"])`, nameOf(Properties.Target.Arn)]];
    }
    if (Type !== 'AWS::Lambda::EventSourceMapping') return [];
    const [source, attribute] = Properties.EventSourceArn['Fn::GetAtt'];
    const table = resources[source]?.Properties.TableName;
    const name = String(table ?? source)
      .replace(/^messaging-gateway-production-/, '')
      .replace(/^(Messaging|Webhooks(?=Webhook))/, '')
      .replace(/(Queue)?[0-9A-F]{8}$/, '');
    const node = attribute === 'StreamArn' ? `${name}[("stream of ${name}")]` : `${name}[["queue ${name}"]]`;
    return [[node, nameOf(Properties.FunctionName)]];
  });
}
