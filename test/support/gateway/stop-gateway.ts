/**
 * Ends what start-gateway.ts started; a run that is interrupted takes the emulator with it all the same.
 * Every function ran under its own role: a run in which AWS denied one of them anything has failed.
 */
import { accessDenials } from './every-log.ts';

export default async function stopGateway(): Promise<void> {
  if (globalThis.gatewayUnderTest === undefined) return;
  const denials = await accessDenials().finally(() => globalThis.gatewayUnderTest?.stop());
  if (denials.length > 0) throw new Error(`functions were denied access:\n${denials.join('\n')}`);
}
