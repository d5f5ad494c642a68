/** Points every AWS client of a process to the emulator, whatever credentials the shell has. */
import * as z from 'zod/mini';

/** The fields of the connection file that are needed to reach the emulator (contract, section 9). */
export const emulatorConnection = z.object({
  endpoint: z.string(),
  region: z.string(),
  access_key_id: z.string(),
  secret_access_key: z.string(),
});
export type EmulatorConnection = z.output<typeof emulatorConnection>;

export function aimAtEmulator(
  environment: Record<string, string | undefined>,
  { endpoint, region, access_key_id, secret_access_key }: EmulatorConnection,
): void {
  // These two variables are deleted, because they would take precedence over the keys.
  delete environment.AWS_PROFILE;
  delete environment.AWS_SESSION_TOKEN;
  Object.assign(environment, {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: access_key_id,
    AWS_SECRET_ACCESS_KEY: secret_access_key,
  });
}
