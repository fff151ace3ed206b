// Closed forms: sums of products of sines, cosines and displacements, their values and derivatives.

import type { EquationData, TermData } from "./document";

/** A product C^a S^b of an angle, or q^b of a displacement (a = 0). */
export interface FactorOf {
  variable: number;
  a: number;
  b: number;
}

/** A term with the speeds that multiply it, by joint. */
export interface SpeedTerm {
  coefficient: number;
  factors: FactorOf[];
  speeds: number[];
}

export function termOf(data: TermData, speeds: number[] = []): SpeedTerm {
  const [coefficient, ...codes] = data as [number, ...number[]];
  return { coefficient, factors: codes.map((code) => ({ variable: code >> 4, a: (code >> 3) & 1, b: code & 7 })), speeds };
}

export class ClosedForms {
  constructor(
    readonly data: EquationData,
    readonly joints: number,
  ) {}

  mass(i: number, j: number): SpeedTerm[] {
    const [row, column] = this.data.symmetric && i > j ? [j, i] : [i, j];
    return (this.data.mass[row * this.joints + column] ?? []).map((term) => termOf(term));
  }

  gravity(i: number): SpeedTerm[] {
    return (this.data.gravity[i] ?? []).map((term) => termOf(term));
  }

  /** c_i = sum over j <= k of terms in q times the speeds j and k. */
  velocity(i: number): SpeedTerm[] {
    if (this.data.velocity) {
      const own = this.data.velocity.filter((entry) => entry[0] === i);
      return own.flatMap(([, j, k, terms]) => terms.map((term) => termOf(term, [j, k])));
    }
    const found: SpeedTerm[] = [];
    for (let j = 0; j < this.joints; j += 1) {
      for (let k = j; k < this.joints; k += 1) {
        // Christoffel symbols of the first kind; pairs j < k stand for both orders.
        const twice = j === k ? 0.5 : 1;
        const parts = [
          ...this.derivative(this.mass(i, j), k, twice),
          ...this.derivative(this.mass(i, k), j, twice),
          ...this.derivative(this.mass(j, k), i, -twice),
        ];
        found.push(...collected(parts).map((term) => ({ ...term, speeds: [j, k] })));
      }
    }
    return found;
  }

  value(term: SpeedTerm, q: ArrayLike<number>, qd: ArrayLike<number>): number {
    let value = term.coefficient;
    for (const { variable, a, b } of term.factors) {
      const angle = this.angle(variable, q);
      value *= this.data.variables[variable]!.prismatic ? angle ** b : Math.cos(angle) ** a * Math.sin(angle) ** b;
    }
    for (const joint of term.speeds) value *= qd[joint]!;
    return value;
  }

  private angle(variable: number, q: ArrayLike<number>): number {
    let total = 0;
    for (const [body, sign] of this.data.variables[variable]!.bodies) {
      const { joint, multiplier, offset } = this.data.coordinates[body]!;
      total += sign * (multiplier * q[joint]! + offset);
    }
    return total;
  }

  /** d(terms)/d q_joint, times a number. */
  private derivative(terms: SpeedTerm[], joint: number, times: number): SpeedTerm[] {
    const found: SpeedTerm[] = [];
    for (const term of terms) {
      term.factors.forEach(({ variable, a, b }, place) => {
        const { bodies, prismatic } = this.data.variables[variable]!;
        const owners = bodies.filter(([body]) => this.data.coordinates[body]!.joint === joint);
        const rate = owners.reduce((sum, [body, sign]) => sum + sign * this.data.coordinates[body]!.multiplier, 0);
        if (rate === 0) return;
        const add = (coefficient: number, powers: [number, number]): void => {
          if (coefficient === 0) return;
          const factors = [...term.factors];
          if (powers[0] + powers[1] > 0) factors[place] = { variable, a: powers[0], b: powers[1] };
          else factors.splice(place, 1);
          found.push({ coefficient: times * rate * term.coefficient * coefficient, factors, speeds: term.speeds });
        };
        if (prismatic) add(b, [0, b - 1]);
        else if (a === 0) add(b, [1, b - 1]);
        else {
          add(b, [0, b - 1]); // d(C S^b) = b S^(b-1) - (b+1) S^(b+1)
          add(-(b + 1), [0, b + 1]);
        }
      });
    }
    return found;
  }
}

/** Terms of the same product put together; what cancels to rounding is dropped. */
function collected(terms: SpeedTerm[]): SpeedTerm[] {
  const sums = new Map<string, { term: SpeedTerm; size: number }>();
  for (const term of terms) {
    const key = term.factors.map(({ variable, a, b }) => `${variable}:${a}:${b}`).join(" ");
    const known = sums.get(key);
    if (known) {
      known.term = { ...known.term, coefficient: known.term.coefficient + term.coefficient };
      known.size += Math.abs(term.coefficient);
    } else sums.set(key, { term, size: Math.abs(term.coefficient) });
  }
  return [...sums.values()].filter(({ term, size }) => Math.abs(term.coefficient) > 1e-12 * size).map(({ term }) => term);
}
