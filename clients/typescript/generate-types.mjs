/** Prints the types of a document's schemas, read from standard input. Part of `npm run clients:generate`. */
import { text } from 'node:stream/consumers';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

/** A list to which a release may add: its values are suggested, and any other text is allowed. */
function openList(schema) {
  const values = schema['x-extensible-enum'];
  if (!Array.isArray(values)) return undefined;
  const literals = values.map((value) =>
    ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(value)),
  );
  const anyText = ts.factory.createIntersectionTypeNode([
    ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
    ts.factory.createTypeLiteralNode([]),
  ]);
  return ts.factory.createUnionTypeNode([...literals, anyText]);
}

/** A field that may be absent may also be undefined, which `exactOptionalPropertyTypes` would refuse otherwise. */
function optionalOrUndefined(property) {
  if (property.questionToken === undefined || property.type === undefined) return property;
  const { modifiers, name, questionToken, type } = property;
  const wider = ts.factory.createUnionTypeNode([
    ...(ts.isUnionTypeNode(type) ? type.types : [type]),
    ts.factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword),
  ]);
  return ts.factory.updatePropertySignature(property, modifiers, name, questionToken, wider);
}

const document = JSON.parse(await text(process.stdin));
const nodes = await openapiTypescript(document, {
  transform: openList,
  transformProperty: optionalOrUndefined,
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  silent: true,
});
/** These parts of a document have no types here. */
const empty = ['paths', 'webhooks', 'operations', '$defs'];
const types = astToString(nodes.filter(({ name }) => !empty.includes(name?.text)));
process.stdout.write(types.replace('export interface components', 'interface components'));
