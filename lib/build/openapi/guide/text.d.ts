/** Files that are shown as they are: the bundler takes them in as text. */
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
