import { useCallback, type ReactNode } from 'react';
import { useSchemaHelp } from '../../../api/schemaHelp.js';
import { SelectField, TextField } from '../../../components/fields.js';
import type { FormValues } from '../../../components/formValues.js';

interface Webhook {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retrySeconds?: number;
  readonly bodyVersion?: 1 | 2;
}

interface WebhookFieldsProps {
  readonly title: string;
  /** The path of the webhook in the request. */
  readonly name: string;
  readonly webhook: Webhook | null | undefined;
  /** A webhook that is told, and tried again; not one that is asked. */
  readonly isTrigger?: boolean;
  /** Further fields. */
  readonly children?: ReactNode;
}

/** Names of fields that are inside of another one of the request. */
export const useFieldNames = (prefix: string): ((path: string) => string) =>
  useCallback((path: string) => `${prefix}.${path}`, [prefix]);

const bodyVersions = [
  { id: '1', title: 'Version 1' },
  { id: '2', title: 'Version 2', description: 'With appId, roomId, topic, id and position' },
] as const;

/** A webhook, which is there if it has a URL. */
export const WebhookFields = ({ title, name, webhook, isTrigger = false, children }: WebhookFieldsProps) => {
  const help = useSchemaHelp('TriggerWebhookInput');
  const at = useFieldNames(name);
  return (
    <details className="fields" open={webhook?.url !== undefined}>
      <summary>
        {title} {webhook?.url === undefined && <span className="optional">none</span>}
      </summary>
      <TextField
        name={at('url')}
        label="URL"
        description="Without one, none is called."
        defaultValue={webhook?.url}
        placeholder="https://example.com/hooks/roomwire"
        autoComplete="off"
        isCode
      />
      <TextField
        name={at('headers')}
        label="Headers"
        description={'A JSON object: { "Authorization": "Bearer …" }'}
        defaultValue={webhook?.headers && JSON.stringify(webhook.headers, null, 2)}
        rows={2}
        isCode
      />
      {isTrigger && (
        <div className="field-row">
          <TextField
            name={at('retrySeconds')}
            label="Seconds to try it on"
            description={help('retrySeconds')}
            type="number"
            defaultValue={webhook?.retrySeconds?.toString()}
          />
          <SelectField
            name={at('bodyVersion')}
            label="Body"
            choices={bodyVersions}
            defaultValue={String(webhook?.bodyVersion ?? 1)}
          />
        </div>
      )}
      {children}
    </details>
  );
};

export interface WebhookGiven {
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly retrySeconds?: number;
  readonly bodyVersion?: 1 | 2;
}

/** What stands in the fields; undefined without a URL. A default that was named in the former one still is. */
export const webhookOf = (
  values: FormValues,
  name: string,
  former: Webhook | null | undefined,
): WebhookGiven | undefined => {
  const url = values.optional(`${name}.url`);
  if (url === undefined) return undefined;
  const headers = values.json(`${name}.headers`) as Record<string, string> | undefined;
  const retrySeconds = values.number(`${name}.retrySeconds`);
  const isPlain = values.text(`${name}.bodyVersion`) !== '2';
  const bodyVersion = isPlain ? former?.bodyVersion && 1 : 2;
  return {
    url,
    ...(headers !== undefined && { headers }),
    ...(retrySeconds !== undefined && { retrySeconds }),
    ...(bodyVersion !== undefined && { bodyVersion }),
  };
};
