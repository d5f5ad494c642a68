/** The error of a local gateway that cannot start. Its message is one line that says why and what to do. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
