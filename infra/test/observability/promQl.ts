import { parser } from '@prometheus-io/lezer-promql';

/** A matcher of one selector: `topic=~"messages|retained"`. */
export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** What an expression asks for. */
export interface Query {
  readonly selectors: readonly { readonly metric: string; readonly matchers: readonly Matcher[] }[];
  /** Labels of `by`, `on` and the like. */
  readonly groupedBy: readonly string[];
}

/** Variables that Grafana fills in. */
const filledIn = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '5m').replace(/\$\{?\w+\}?/g, 'any');

/** Reads an expression with the grammar of Prometheus' own editor; throws for one that is not PromQL. */
export const parseQuery = (expression: string): Query => {
  const text = filledIn(expression);
  const selectors: { metric: string; matchers: Matcher[] }[] = [];
  const groupedBy: string[] = [];
  let isGrouping = false;
  let matcher: { label: string; operator: string } | undefined;
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      const written = text.slice(from, to);
      if (type.isError) throw new Error(`Not PromQL at ${from}: ${text}`);
      if (type.name === 'GroupingLabels') isGrouping = true;
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector')
        selectors.push({ metric: written, matchers: [] });
      if (type.name === 'LabelName' && isGrouping) groupedBy.push(written);
      if (type.name === 'LabelName' && !isGrouping) matcher = { label: written, operator: '' };
      if (type.name === 'MatchOp' && matcher) matcher.operator = written;
      if (type.name === 'StringLiteral' && matcher) {
        selectors.at(-1)?.matchers.push({ ...matcher, value: written.slice(1, -1) });
        matcher = undefined;
      }
    },
    leave: ({ type }) => {
      if (type.name === 'GroupingLabels') isGrouping = false;
    },
  });
  return { selectors, groupedBy };
};
