/** The limits and caps in force for a client, read from the function's table of overrides. */
import { dynamoRowReader } from '../edited-table/row-editor.dynamo.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import type { Environment } from '../platform/env.ts';
import { log } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import { type OverrideReader, overrideReader } from './overrides.ts';

let overrides: OverrideReader | undefined;

/** One reader for the whole function, so that rows are read once. */
export function overridesFrom(env: Environment<'LIMIT_OVERRIDES_TABLE'>): OverrideReader {
  overrides ??= overrideReader(
    dynamoRowReader(dynamo(), env.LIMIT_OVERRIDES_TABLE),
    systemClock,
    (invalid) => {
      log.warn('invalid limit override ignored', { ...invalid });
      countMetric('InvalidLimitOverride');
    },
  );
  return overrides;
}
