/** For runs in which no service refuses anything permanently. */
import type { RefusedWork } from '../../../shared/recovery/set-aside.sqs.ts';

export async function neverSetAside({ error }: RefusedWork): Promise<void> {
  throw error;
}
