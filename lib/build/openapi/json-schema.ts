/** A schema of the API document: JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = { [keyword: string]: unknown };
