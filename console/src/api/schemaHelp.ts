import { useQuery } from '@tanstack/react-query';
import { send } from './connectivity.js';

/** As much of a JSON schema as it takes to find the description of a field. */
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

type Schemas = Readonly<Record<string, Schema>>;

/** What the API's description says of a field; undefined where it says nothing, or is not read yet. */
export const useSchemaHelp = (name: string): ((path: string) => string | undefined) => {
  const { data } = useQuery({
    queryKey: ['openapi'],
    queryFn: async () => {
      const response = await send(new Request('/v1/openapi.json'));
      const { components } = (await response.json()) as {
        readonly components: { readonly schemas: Schemas };
      };
      return components.schemas;
    },
    staleTime: Infinity,
  });
  return (path) => (data === undefined ? undefined : descriptionIn(data, name, path));
};

/** The description of the field at a dotted path in a schema; an entry of a map has any name. */
export const descriptionIn = (schemas: Schemas, name: string, path: string): string | undefined => {
  let found: readonly Schema[] = alternatives(schemas, schemas[name]);
  let own: string | undefined;
  for (const segment of path.split('.')) {
    const next = found.flatMap(({ properties, additionalProperties: others }) => {
      const field = properties?.[segment] ?? (typeof others === 'object' ? others : undefined);
      return field === undefined ? [] : [field];
    });
    own = next.find(({ description }) => description !== undefined)?.description;
    found = next.flatMap((field) => alternatives(schemas, field));
  }
  return own ?? found.find(({ description }) => description !== undefined)?.description;
};

const alternatives = (schemas: Schemas, schema: Schema | undefined): readonly Schema[] => {
  if (schema === undefined) return [];
  const { $ref, anyOf = [], oneOf = [], allOf = [] } = schema;
  const referred = $ref === undefined ? [] : alternatives(schemas, schemas[$ref.split('/').at(-1) ?? '']);
  const inner = [...anyOf, ...oneOf, ...allOf].flatMap((one) => alternatives(schemas, one));
  return [schema, ...referred, ...inner];
};
