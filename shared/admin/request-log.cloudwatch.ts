/**
 * Reads the log lines of requests as they come. Each function of the API has a log group, and Live Tail takes ten groups
 * only, so each group is asked for its new lines in turn: a request of CloudWatch Logs that costs nothing.
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
  message_id: z.optional(z.string()),
  batch_id: z.optional(z.string()),
});
export type LoggedRequest = z.output<typeof loggedRequestSchema>;

export type RequestLog = Awaited<ReturnType<typeof requestLogOf>>;

/** The logical ids of the log groups of functions of the API. */
const ofApi = /^(?!.*AccessLog)(Api|Admin)/;

/** @throws Error if the stack has no log groups of the API */
export async function requestLogOf(stackName: string) {
  const groups = (await stackResources(stackName))
    .filter(({ type, logicalId }) => type === 'AWS::Logs::LogGroup' && ofApi.test(logicalId))
    .map(({ physicalId }) => physicalId);
  if (groups.length === 0) throw new Error(`The stack ${stackName} has no log groups of the API.`);
  const client = new CloudWatchLogsClient(config);
  return {
    /** Reads the requests since a time, of one client or of all, each with the id of its line; oldest first. */
    async read(
      since: Date,
      clientId: string | undefined,
    ): Promise<readonly { readonly id: string; readonly request: LoggedRequest }[]> {
      // The gateway makes client ids without any character that the pattern would have to escape.
      const ofClient = clientId === undefined ? '' : ` && $.client_id = "${clientId}"`;
      const filterPattern = `{ $.method = *${ofClient} }`;
      // The emulator takes a pattern of fields as every line.
      const isWanted = ({ client_id }: LoggedRequest) => clientId === undefined || client_id === clientId;
      const found = [];
      for (const logGroupName of groups) {
        const query = { logGroupName, startTime: since.getTime(), filterPattern };
        for await (const { events = [] } of paginateFilterLogEvents({ client }, query)) {
          for (const { eventId = '', message = '' } of events) {
            // Lambda itself also writes lines that are not JSON.
            const request = loggedRequestSchema.safeParse(jsonIn(message)).data;
            if (request !== undefined && isWanted(request)) found.push({ id: eventId, request });
          }
        }
      }
      return found.toSorted((one, other) => (one.request.timestamp < other.request.timestamp ? -1 : 1));
    },
  };
}
