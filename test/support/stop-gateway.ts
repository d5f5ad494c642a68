/** Ends what start-gateway.ts started; a run that is interrupted takes the emulator with it all the same. */
export default async function stopGateway(): Promise<void> {
  await globalThis.gatewayUnderTest?.stop();
}
