/** Makes a value when it is first needed: a schema of a hundred parts takes milliseconds of a function's start. */
export function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
