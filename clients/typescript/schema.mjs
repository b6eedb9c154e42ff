/** Write the types of the OpenAPI document `openapi.json` to `src/schema.ts`. */
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const FILE = ts.factory.createTypeReferenceNode("Blob");

const types = await openapiTS(JSON.parse(readFileSync("openapi.json", "utf8")), {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  silent: true,
  transform: (schema) => (schema.format === "binary" ? FILE : undefined), // the default would be `string`
});
writeFileSync("src/schema.ts", astToString(types));
