interface CursorPage<Row> {
  readonly data: readonly Row[];
  /** The cursor of the next one; null on the last. */
  readonly next: string | null;
}

interface NumberedPage<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly page: number; readonly pageCount: number };
}

/** A list of the API: whole, or a page of either kind. */
export type ListAnswer<Row> = readonly Row[] | CursorPage<Row> | NumberedPage<Row>;

/** Where the next page is. */
export interface Position {
  readonly cursor?: string;
  readonly page?: number;
}

export const rowsOf = <Row>(answer: ListAnswer<Row>): readonly Row[] =>
  'data' in answer ? answer.data : answer;

/** Undefined on the last page. */
export const nextPosition = (answer: ListAnswer<unknown>): Position | undefined => {
  if (!('data' in answer)) return undefined;
  if ('next' in answer) return answer.next === null ? undefined : { cursor: answer.next };
  const { page, pageCount } = answer.pagination;
  return page < pageCount ? { page: page + 1 } : undefined;
};
