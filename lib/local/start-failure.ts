/** Why the local gateway cannot start: one line for a person, with what to do. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
