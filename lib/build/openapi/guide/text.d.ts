/** Files that the bundler imports as text. */
declare module '*.mjs' {
  const text: string;
  export default text;
}
declare module '*.py' {
  const text: string;
  export default text;
}
declare module '*.go' {
  const text: string;
  export default text;
}
