import { useState, type ReactNode } from 'react';
import { Form as AriaForm } from 'react-aria-components';
import { ApiFailure, type FieldProblem } from '../api/failure.js';
import { Button } from './Button.js';
import { readForm, type FormValues } from './formValues.js';
import { FieldProblemsContext, type FieldProblems } from './fieldProblems.js';
import { missingFields } from './missingFields.js';
import { Problem } from './Problem.js';

interface FormProps {
  /** Text of the button. */
  readonly submit: string;
  readonly look?: 'primary' | 'danger';
  /** Rejects with what the form then shows; problems of the request's fields show at the fields of that name. */
  readonly onSubmit: (values: FormValues) => Promise<void>;
  readonly onCancel?: (() => void) | undefined;
  readonly children?: ReactNode;
}

interface Refusal {
  readonly error: Error;
  readonly atFields: FieldProblems;
}

const none: FieldProblems = {};

/** Fields, and a button that sends them. Names of fields are the paths of the request's: `config.accessMode`. */
export const Form = ({ submit, look = 'primary', onSubmit, onCancel, children }: FormProps) => {
  const [isPending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const send = async (element: HTMLFormElement): Promise<void> => {
    setPending(true);
    setRefusal(undefined);
    try {
      const missing = missingFields(element);
      if (missing.length > 0) throw new ApiFailure(0, 'Nothing was sent', missing);
      await onSubmit(readForm(new FormData(element)));
    } catch (error) {
      setRefusal(refusalOf(error as Error, element));
    } finally {
      setPending(false);
    }
  };

  return (
    <AriaForm
      className="form"
      // The service says what is wrong; a browser would hold back the next try until it has seen a change.
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) void send(event.currentTarget);
      }}
    >
      {refusal && !isSaidAtFields(refusal) && (
        <Problem error={refusal.error} shownElsewhere={pathsAt(refusal)} />
      )}
      {/* The user is correcting what was refused. Waiting until the field loses focus would move the button from under the pointer. */}
      <div className="form-fields" onInput={() => setRefusal(undefined)}>
        <FieldProblemsContext value={refusal?.atFields ?? none}>{children}</FieldProblemsContext>
      </div>
      <div className="form-actions">
        <Button type="submit" look={look} isPending={isPending}>
          {submit}
        </Button>
        {onCancel && (
          <Button look="quiet" onPress={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </AriaForm>
  );
};

const isSaidAtFields = ({ error, atFields }: Refusal): boolean =>
  Object.values(atFields).includes(error.message);

const pathsAt = ({ error, atFields }: Refusal): ReadonlySet<string> => {
  const problems = error instanceof ApiFailure ? error.problems : [];
  const shown = problems.filter(({ path }) => fieldOf(path, (name) => name in atFields) !== undefined);
  return new Set(shown.map(({ path }) => path));
};

const refusalOf = (error: Error, form: HTMLFormElement): Refusal => {
  const problems: readonly FieldProblem[] = error instanceof ApiFailure ? error.problems : [];
  const atFields: Record<string, string> = {};
  for (const { path, message } of problems) {
    const field = fieldOf(path, (name) => form.elements.namedItem(name) !== null);
    if (field === undefined) continue;
    atFields[field] = message;
    unfold(form.elements.namedItem(field));
  }
  return { error, atFields };
};

/** What has a problem must be seen. */
const unfold = (field: Element | RadioNodeList | null): void => {
  const folded = field instanceof Element ? field.closest('details') : null;
  if (folded) folded.open = true;
};

/** The field of a path, or of the object or list that it is in: `topics` for `topics.2`. */
export const fieldOf = (path: string, isField: (name: string) => boolean): string | undefined => {
  const segments = path.split('.');
  while (segments.length > 0) {
    const name = segments.join('.');
    if (name !== '' && isField(name)) return name;
    segments.pop();
  }
  return undefined;
};
