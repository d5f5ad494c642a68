/**
 * Reads the log lines of requests. Each function of the API has a log group, but Live Tail accepts only ten groups. So
 * `FilterLogEvents`, which costs nothing, reads one group after the other.
 */

import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import * as z from 'zod/mini';
import { jsonIn } from '../platform/object-fields.ts';
import { stackResources } from './stack-resources.cloudformation.ts';

const timeLimits = { connectionTimeout: 2000, requestTimeout: 10_000, throwOnRequestTimeout: true };
const config = { maxAttempts: 5, requestHandler: timeLimits };

/** The fields of a log line that describe the request and its result. They contain no numbers, texts or addresses. */
const loggedRequestSchema = z.object({
  timestamp: z.string(),
  request_id: z.string(),
  client_id: z.optional(z.string()),
  method: z.string(),
  path: z.string(),
  status: z.number(),
  duration_ms: z.number(),
  error: z.optional(z.string()),
  faulty_fields: z.optional(z.array(z.string())),
  message_id: z.optional(z.string()),
  batch_id: z.optional(z.string()),
});
export type LoggedRequest = z.output<typeof loggedRequestSchema>;

/** The logical ids of the log groups of functions of the API. */
const ofApi = /^(?!.*AccessLog)(Api|Admin)/;

/**
 * The statuses of requests that fail because of the request or the rights of the client, and not because of the gateway.
 */
const refusedStatuses = [400, 403, 429];

/** @throws Error if the stack has no log groups of the API */
export async function requestLogOf(stackName: string) {
  const groups = (await stackResources(stackName))
    .filter(({ type, logicalId }) => type === 'AWS::Logs::LogGroup' && ofApi.test(logicalId))
    .map(({ physicalId }) => physicalId);
  if (groups.length === 0) throw new Error(`The stack ${stackName} has no log groups of the API.`);
  const client = new CloudWatchLogsClient(config);

  async function* linesOf(filterPattern: string, clientId: string | undefined, since: Date, until?: Date) {
    const times = {
      startTime: since.getTime(),
      endTime: until?.getTime(),
    };
    for (const logGroupName of groups) {
      const query = { logGroupName, filterPattern, ...times };
      for await (const { events = [] } of paginateFilterLogEvents({ client }, query)) {
        for (const { eventId = '', message = '' } of events) {
          // Lambda itself also writes lines that are not JSON.
          const request = loggedRequestSchema.safeParse(jsonIn(message)).data;
          // Compares the client again, because in the emulator a pattern of fields matches every line.
          if (request !== undefined && (clientId === undefined || request.client_id === clientId))
            yield { id: eventId, request };
        }
      }
    }
  }

  return {
    /** Returns the requests since a time, of one client or of all, oldest first. */
    async read(since: Date, clientId: string | undefined) {
      const pattern = `{ $.method = *${clientId === undefined ? '' : ` && ${isOf(clientId)}`} }`;
      const found = [];
      for await (const line of linesOf(pattern, clientId, since)) found.push(line);
      return found.toSorted((one, other) => (one.request.timestamp < other.request.timestamp ? -1 : 1));
    },

    /** Yields the refused requests of one client or of all clients, in any order. */
    async *refused(since: Date, until: Date, clientId: string | undefined): AsyncGenerator<LoggedRequest> {
      const isRefused = refusedStatuses.map((status) => `$.status = ${status}`).join(' || ');
      const pattern = `{ ${isOf(clientId ?? '*')} && (${isRefused}) }`;
      for await (const { request } of linesOf(pattern, clientId, since, until))
        if (request.client_id !== undefined && refusedStatuses.includes(request.status)) yield request;
    },
  };
}

/** Client ids need no escaping in the pattern, because the gateway generates them without special characters. */
function isOf(clientId: string): string {
  return clientId === '*' ? '$.client_id = *' : `$.client_id = "${clientId}"`;
}
