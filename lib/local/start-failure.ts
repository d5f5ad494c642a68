/** The error of a local gateway that cannot start. Its message is one line: the reason, and what to do. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
