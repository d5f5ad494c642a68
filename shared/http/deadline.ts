/** Answers 503 shortly before Lambda would stop the function. */
import { GatewayError } from '../contract/errors.ts';

/** The part of Lambda's context that tells how much time is left. */
interface RemainingTime {
  getRemainingTimeInMillis(): number;
}

/** Time that is left for the response. */
const deadlineMarginMs = 500;

/** @throws GatewayError `service_unavailable` where the work takes too long. */
export async function beforeDeadline<T>(context: RemainingTime, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    const refuse = (): void =>
      reject(new GatewayError('service_unavailable', 'The request took too long. Try again soon.'));
    timer = setTimeout(refuse, Math.max(0, context.getRemainingTimeInMillis() - deadlineMarginMs));
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
