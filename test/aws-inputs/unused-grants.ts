/**
 * Finds permissions that no function used in a run of `npm test`: `unused-grants.ts CALLS` compares the grants of the
 * local stage with the recorded calls, and ends with 1 if one is left over.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { actionsOf, roleFunctions } from '../support/template/function-actions.ts';
import { forgetTemplates, synthesized } from '../support/template/stage-templates.ts';

/** Used by Lambda, which reads queues and the stream and writes the log, or checked with another action. */
const usedByAws =
  /^(sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueue\w+)|dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams)|iam:PassRole|logs:\w+|xray:\w+)$/;

/** What a function does only after a failure or a race, by its name; the tests of its stores and simulations do it. */
const afterFailure: Readonly<Record<string, readonly string[]>> = {
  // A repeated Idempotency-Key finds its first message or batch.
  'send-sms': ['messages GetItem'],
  'send-whatsapp': ['messages GetItem'],
  'send-otp': ['messages GetItem'],
  'send-bulk-sms': ['batches GetItem'],
  // A message or webhook whose queue message was lost is queued again.
  'queue-due-rows': [
    'messages UpdateItem',
    'webhook-deliveries UpdateItem',
    'sqs:SendMessage',
    'sqs:SendMessageBatch',
    'sqs:GetQueueAttributes',
  ],
  // It goes on with a resend of failed webhooks that takes longer than its request.
  'deliver-webhook': [
    'webhook-deliveries/by-client Query',
    'webhook-deliveries/failed-by-client Query',
    // It tells the other endpoints of a client that one was disabled.
    'webhook-endpoints Query',
  ],
  // The carrier says that the recipient opted out, which the simulated one never does.
  'dispatch-message': ['suppressions PutItem'],
  // Only a carrier of another vendor calls it, as in the tests `carriers`; the stage of these calls has none.
  'carrier-callback': ['sqs:SendMessage', 'sqs:SendMessageBatch', 'rate-counters UpdateItem'],
  'relay-changes': ['messages GetItem'],
  // It carries out the addition of a worker that died.
  'count-usage': ['count-journal BatchGetItem'],
  // Records that fail for hours go to the dead-letter queue.
  'review-edited-rows': ['sqs:SendMessage'],
};

const recorded = z.object({ service: z.string(), target: z.string(), caller: z.string(), body: z.string() });
const dynamoInput = z.object({
  TableName: z.optional(z.string()),
  IndexName: z.optional(z.string()),
  RequestItems: z.optional(z.record(z.string(), z.unknown())),
  TransactItems: z.optional(z.array(z.record(z.string(), z.object({ TableName: z.string() })))),
});
const transactActions: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};
const stackName = 'messaging-gateway-local';
const withoutStack = (name: string): string => name.replace(`${stackName}-`, '');

/** `messages/by-client Query`, `sqs:SendMessage`: an action on a table names the table. */
function actionsIn({ service, target, body }: z.output<typeof recorded>): string[] {
  const operation = target.split('.').at(-1) ?? '';
  if (service === 'scheduler') return ['scheduler:CreateSchedule'];
  // The emulator wants an action of its own for the batch; AWS takes SendMessage.
  if (service === 'sqs')
    return ['sqs:SendMessage', 'sqs:SendMessageBatch'].filter(() => operation.startsWith('Send'));
  if (service === 'sts') return [`sts:${new URLSearchParams(body).get('Action')}`];
  if (service !== 'dynamodb') return [`${service}:${operation}`];
  const input = dynamoInput.parse(JSON.parse(body));
  const transacted = (input.TransactItems ?? []).flatMap((item) =>
    Object.entries(item).map(
      ([kind, { TableName }]) => `${withoutStack(TableName)} ${transactActions[kind]}`,
    ),
  );
  const tables = input.TableName === undefined ? Object.keys(input.RequestItems ?? {}) : [input.TableName];
  const index = input.IndexName === undefined ? '' : `/${input.IndexName}`;
  return [...transacted, ...tables.map((table) => `${withoutStack(table)}${index} ${operation}`)];
}

/** The function of `arn:aws:sts::<account>:assumed-role/<stack>-<start of the role's id><13 characters>/<function>`. */
function callerOf(arn: string, roles: ReadonlyMap<string, string>): string | undefined {
  const role = /assumed-role\/([^/]+)\//.exec(arn)?.[1];
  if (role === undefined) return undefined;
  const start = withoutStack(role).slice(0, -13).replace(/-$/, '');
  return [...roles].find(([id]) => id.startsWith(start))?.[1];
}

const { resources } = synthesized('local');
const roles = roleFunctions(resources);
const used = new Map<string, Set<string>>();
for (const line of readFileSync(process.argv[2] ?? '', 'utf8').split('\n')) {
  const call = recorded.safeParse(line === '' ? undefined : JSON.parse(line));
  const name = call.success ? callerOf(call.data.caller, roles) : undefined;
  if (!call.success || name === undefined) continue;
  const known = used.get(name) ?? new Set<string>();
  for (const action of actionsIn(call.data)) known.add(action);
  used.set(name, known);
}

let granted = 0;
const unused = Object.entries(actionsOf(resources)).flatMap(([name, byResource]) =>
  Object.entries(byResource).flatMap(([resource, actions]) =>
    actions
      .filter((action) => !usedByAws.test(action))
      .map((action) => (action.startsWith('dynamodb:') ? `${resource} ${action.slice(9)}` : action))
      .filter((action) => {
        granted += 1;
        return used.get(name)?.has(action) !== true && !afterFailure[name]?.includes(action);
      })
      .map((action) => `${name}: ${action}`),
  ),
);
for (const grant of unused) console.log(`UNUSED ${grant}`);
console.log(`${granted - unused.length} passed, ${unused.length} failed`);
forgetTemplates();
process.exitCode = unused.length === 0 && used.size > 20 ? 0 : 1;
