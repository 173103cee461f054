import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { ApiFailure, type FieldProblem } from '../api/failure.js';
import type { Filters } from '../app/useFilters.js';
import { Button } from './Button.js';
import { FieldProblemsContext, type FieldProblems } from './fieldProblems.js';
import { missingFields } from './missingFields.js';

/** For a field, which shows what is asked for until something else is entered. */
interface FieldState<Name extends string> {
  readonly name: Name;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface FilterFormProps<Name extends string> {
  /** What is looked for: `Find changes`. */
  readonly label: string;
  readonly filters: Filters<Name>;
  /** Text of the button. */
  readonly submit?: string;
  /** The refusal of what is asked for: its problems show at their fields. */
  readonly error?: Error | null;
  /** Asks the same once more. */
  readonly askAgain: () => unknown;
  readonly children: (field: (name: Name) => FieldState<Name>) => ReactNode;
}

/** Fields by which a page finds what it shows. */
export const FilterForm = <Name extends string>(props: FilterFormProps<Name>) => {
  const { label, filters, submit = 'Show', error, askAgain, children } = props;
  const { asked, ask, clear } = filters;
  const [values, setValues] = useState(asked);
  const [missing, setMissing] = useState(none);
  useEffect(() => {
    setValues(asked);
    setMissing(none);
  }, [asked]);
  const refused = useMemo(() => problemsOf(error instanceof ApiFailure ? error.problems : []), [error]);
  const isEmpty = Object.values(asked).every((value) => value === '');
  return (
    <Form
      aria-label={label}
      className="filter-form"
      // As in `Form`: a browser would hold back the next try.
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault();
        const unfilled = problemsOf(missingFields(event.currentTarget));
        setMissing(unfilled);
        if (unfilled !== none) return;
        if (isSame(values, asked)) void askAgain();
        else ask(trimmed(values));
      }}
    >
      <div className="filter-fields">
        <FieldProblemsContext value={missing === none ? refused : missing}>
          {children((name) => ({
            name,
            value: values[name],
            onChange: (value) => setValues((before) => ({ ...before, [name]: value })),
          }))}
        </FieldProblemsContext>
      </div>
      <div className="form-actions">
        <Button type="submit" look="primary">
          {submit}
        </Button>
        {!isEmpty && (
          <Button look="quiet" onPress={clear}>
            Clear
          </Button>
        )}
      </div>
    </Form>
  );
};

const trimmed = <Name extends string>(values: Readonly<Record<Name, string>>): Record<Name, string> =>
  Object.fromEntries(Object.entries<string>(values).map(([name, value]) => [name, value.trim()])) as Record<
    Name,
    string
  >;

const isSame = <Name extends string>(
  values: Readonly<Record<Name, string>>,
  asked: Readonly<Record<Name, string>>,
): boolean => Object.entries<string>(trimmed(values)).every(([name, value]) => value === asked[name as Name]);

const none: FieldProblems = {};

const problemsOf = (problems: readonly FieldProblem[]): FieldProblems =>
  problems.length === 0 ? none : Object.fromEntries(problems.map(({ path, message }) => [path, message]));
