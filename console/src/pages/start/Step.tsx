import { Check } from 'lucide-react';
import type { ReactNode } from 'react';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: 'done' | 'current' | 'later';
  readonly children?: ReactNode;
}

export const Step = ({ number, title, state, children }: StepProps) => (
  <li className={`step panel ${state}`} aria-current={state === 'current' ? 'step' : undefined}>
    <h2>
      <span className="step-number" aria-hidden>
        {state === 'done' ? <Check size={14} strokeWidth={3} /> : number}
      </span>
      {title}
      {state === 'done' && <span className="visually-hidden">: done</span>}
    </h2>
    {state !== 'later' && <div className="step-body">{children}</div>}
  </li>
);
