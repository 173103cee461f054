export interface ApiAddress {
  /** Without `/v1`. */
  readonly url: string;
  /** An API key, or a user session token where the endpoint takes one. */
  readonly credential: string;
}

/** Of an endpoint; `path` is relative to `/v1/`. */
export const endpointOf = ({ url }: Pick<ApiAddress, 'url'>, path: string): URL =>
  new URL(`v1/${path}`, url.endsWith('/') ? url : `${url}/`);

/** What is looked at of an answer that is not what was asked for. */
interface ErrorBody {
  readonly message?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** Empty for what is no JSON. */
export const parsedBody = <T extends object>(text: string): Partial<T> & ErrorBody => {
  try {
    return (JSON.parse(text) ?? {}) as Partial<T> & ErrorBody;
  } catch {
    return {};
  }
};

/** What an answer says is wrong. */
export const whyOf = ({ message, errors }: ErrorBody): string | undefined => {
  const details = errors?.map((each) => `${each.path}: ${each.message}`).join(', ');
  return [message, details].filter(Boolean).join(': ') || undefined;
};

/** Why there was no answer. */
export const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error
    ? `${message}: ${cause.message || (cause as NodeJS.ErrnoException).code}`
    : message;
};
