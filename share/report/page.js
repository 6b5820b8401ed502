/* The page of `dlqueue report`: key numbers, tables, the explorer and the player, from the data beside it.
   Nothing here computes a result: the explorer looks simulated points up, the player shows a recorded run. */
'use strict';
(() => {

const data = JSON.parse(document.getElementById('data').textContent);
const views = data.reports || [data];
const narrow = matchMedia('(max-width: 820px)');
const calm = matchMedia('(prefers-reduced-motion: reduce)');

// -- elements --

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}
const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const isNumber = value => typeof value === 'number';

// A button that copies the text of an element, or where that is refused selects it.
function copyButton(of) {
  const button = el('button', {type: 'button', class: 'copy'}, 'Copy');
  const done = () => { button.textContent = 'Copied'; setTimeout(() => { button.textContent = 'Copy'; }, 1500); };
  const select = () => getSelection().selectAllChildren(of);
  button.addEventListener('click', () => {
    if (navigator.clipboard) navigator.clipboard.writeText(of.textContent).then(done, select); else select();
  });
  return button;
}

// A button that saves a picture of the page as a file of its own, in the colors that it has on the page now.
function downloadButton(find, name) {
  const button = el('button', {type: 'button', class: 'copy'}, 'Download SVG');
  button.addEventListener('click', () => {
    const picture = find().cloneNode(true), style = getComputedStyle(document.documentElement);
    for (const element of [picture, ...picture.querySelectorAll('*')])
      for (const attribute of [...element.attributes]) {
        const color = attribute.value.match(/^var\((--[a-z-]+)\)$/);
        if (color) element.setAttribute(attribute.name, style.getPropertyValue(color[1]).trim());
      }
    const [, , width, height] = picture.getAttribute('viewBox').split(' ');
    fill(picture, {xmlns: 'http://www.w3.org/2000/svg', width, height, 'font-family': 'DejaVu Sans, Verdana, sans-serif'}, []);
    picture.querySelectorAll('.boxed text').forEach(text => fill(text, {'paint-order': 'stroke', 'stroke-width': 5,
      stroke: style.getPropertyValue('--paper').trim()}, []));
    picture.prepend(svg('rect', {width, height, fill: style.getPropertyValue('--paper').trim()}));
    const file = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(picture)], {type: 'image/svg+xml'}));
    el('a', {href: file, download: name + '.svg'}).click();
    setTimeout(() => URL.revokeObjectURL(file), 10000);
  });
  return button;
}

// -- numbers for people --

function decimalsOf(value, count) {
  const rounded = Math.abs(Number(value.toPrecision(count)));
  return rounded > 0 ? clamp(count - 1 - Math.floor(Math.log10(rounded) + 1e-9), 0, 12) : 0;
}
const formats = []; // by decimals; making one takes long
function digits(value, count) {
  if (!isNumber(value)) return '–';
  if (value === 0) return '0';
  const decimals = decimalsOf(value, count);
  formats[decimals] ||= new Intl.NumberFormat('en-US', {minimumFractionDigits: decimals, maximumFractionDigits: decimals});
  return formats[decimals].format(value);
}
function within(value, width, count = 3) { // half an interval, with the decimals of its value, rounded up
  const decimals = decimalsOf(value, count), unit = 10 ** -decimals;
  return '± ' + (Math.ceil(width / unit - 1e-9) * unit).toFixed(decimals);
}
const short = value => String(Number(value.toPrecision(3)));
function time(seconds, count = 2) {
  if (!isNumber(seconds)) return '–';
  if (seconds === 0) return '0';
  const size = Math.abs(seconds);
  const [unit, name] = size < 1e-3 ? [1e-6, 'µs'] : size < 1 ? [1e-3, 'ms'] : size < 120 ? [1, 's']
    : size < 7200 ? [60, 'min'] : [3600, 'h'];
  const value = Number((seconds / unit).toPrecision(count));
  return (value >= 1000 ? digits(seconds / unit, count) : String(value)) + '\u00a0' + name;
}
const percent = (share, count = 3) => !isNumber(share) ? '–'
  : (share > 0.995 && share < 1 ? (share * 100).toFixed(2) : digits(share * 100, share < 0.1 ? count - 1 : count));
const whole = share => share > 0.995 && share < 1 - 1e-9 ? '>\u202f99' : Math.round(share * 100).toString();
const signed = gain => (gain < 0 ? '−' : '+') + digits(Math.abs(gain) * 100, 2) + '\u00a0%';
const half = estimate => estimate && isNumber(estimate.low) && estimate.high > estimate.low
  ? (estimate.high - estimate.low) / 2 : 0;
const plural = (count, one) => count.toLocaleString('en-US') + ' ' + one + (count === 1 ? '' : 's');

// -- key numbers --

function figure(name, value, unit, context) {
  return el('div', {}, el('dt', {}, name), el('dd', {class: 'value'}, el('b', {}, value), unit ? ' ' + unit : ''),
    el('dd', {}, context || '\u00a0'));
}

function ofInterval(estimate, factor, otherwise) {
  const width = half(estimate) * factor;
  return width > 0 ? within(estimate.value * factor, width, 4) + ', 95 % interval' : otherwise;
}

function timeFigure(name, seconds, context) {
  const [value, unit] = time(seconds, 3).split('\u00a0');
  return figure(name, value, unit, context);
}

function figuresOfSolve(view) {
  const run = view.solve.simulation, rows = [];
  const alike = run.replications === 0 ? 'exact' : run.replications === 1 ? 'a single run' : 'the same in all runs';
  rows.push(figure('throughput', digits(run.throughput.value, 4), 'batches/s', ofInterval(run.throughput, 1, alike)));
  if (run.utilization)
    rows.push(figure('trainer busy', percent(run.utilization.value, 4), '%', ofInterval(run.utilization, 100, alike)));
  if (run.wait_mean)
    rows.push(timeFigure('wait per step, mean', run.wait_mean.value, isNumber(run.wait_p99)
      ? 'median ' + time(run.wait_p50) + ', 99 % ' + time(run.wait_p99) : ''));
  if (run.stalled_steps) {
    const share = run.stalled_steps.value;
    rows.push(figure('steps that stall', percent(share, 3), '%', (share > 0 ? 'one in ' + digits(1 / share, 2) : 'none')
      + (isNumber(run.period) ? ', every ' + digits(run.period, 2) + ' steps' : '')));
  }
  const plan = view.plan;
  if (plan && plan.answer) {
    const key = plan.solve;
    const goal = plan.of === 'samples_per_second' ? digits(plan.target, 3) + ' samples/s take'
      : short(plan.target * 100) + ' % ' + (plan.of === 'au' ? 'AU takes' : 'busy takes');
    rows.push(figure(goal, plan.met ? String(plan.answer[key]) : '–', plan.met ? key : '',
      plan.met ? 'now ' + view.solve[key] : 'no count reaches it'));
  }
  return rows;
}

function figuresOfLog(view) {
  const log = view.diagnose, waiting = view.waiting, ranks = log.ranks && log.ranks.length > 1, rows = [];
  if (log.iter_time) rows.push(timeFigure('an iteration, mean', log.iter_time.mean,
    'median ' + time(log.iter_time.median) + ', 99 % ' + time(log.iter_time.p99)));
  if (log.data_time) rows.push(timeFigure(ranks ? 'a rank waits for its own data' : 'of it waiting for data', log.data_time.mean,
    'median ' + time(log.data_time.median) + ', 99 % ' + time(log.data_time.p99)));
  if (waiting) rows.push(figure('waiting for data costs', waiting.text.replace(' %', ''), '%', waiting.apart));
  if (log.stalled_steps && isNumber(log.stalled_steps))
    rows.push(figure('steps that stall', percent(log.stalled_steps), '%',
      isNumber(log.period) ? 'every ' + digits(log.period, 2) + ' steps' : ''));
  rows.push(figure('iterations', log.iterations.toLocaleString('en-US'), '', 'in the log'));
  return rows;
}

// -- what one change gains; where the throughput lies --

function leversTable(view) {
  const levers = view.solve.levers;
  if (!levers || levers.length === 0) return null;
  const gains = levers.map(lever => lever.gain ? lever.gain.value : 0);
  const low = Math.min(0, ...gains), high = Math.max(1e-9, ...gains);
  const at = gain => clamp((gain - low) / (high - low), 0, 1) * 100;
  const rows = levers.map(lever => {
    const gain = lever.gain, proven = lever.proven && gain;
    const bar = svg('svg', {viewBox: '0 0 100 20', preserveAspectRatio: 'none', 'aria-hidden': 'true'},
      svg('path', {d: `M${at(0)} 1V19`, stroke: 'var(--muted)', 'vector-effect': 'non-scaling-stroke'}));
    if (proven)
      bar.append(svg('rect', {x: Math.min(at(0), at(gain.value)), y: 4, width: Math.abs(at(gain.value) - at(0)),
        height: 12, fill: gain.value < 0 ? 'var(--muted)' : 'var(--blue)'}));
    if (proven && at(gain.high) - at(gain.low) > 0.4)
      bar.append(svg('path', {d: `M${at(gain.low)} 10H${at(gain.high)}`, stroke: 'var(--ink)', 'stroke-width': 1.5,
        'vector-effect': 'non-scaling-stroke'}));
    return el('tr', {class: proven ? null : 'dim'}, el('th', {scope: 'row'}, lever.change), el('td', {class: 'bar'}, bar),
      el('td', {}, digits(lever.throughput ? lever.throughput.value : null, 3)),
      el('td', {}, proven ? signed(gain.value) : 'not proven'));
  });
  return el('div', {}, el('h3', {}, 'What one change gains'),
    el('p', {class: 'lead'}, `Each change by itself, made to ${view.fit ? 'the fitted model' : 'this configuration'}, ` +
      'on the same random numbers; batches/s, bars end at the gain, whiskers are 95 % intervals.'),
    el('table', {class: 'bars'}, el('tbody', {}, rows)));
}

const bounds = [['serial', 'one by one'], ['load', 'loaders'], ['window', 'window'], ['step', 'step'],
  ['receive', 'receive'], ['cores', 'cores'], ['contention', 'contention'],
  ['host_bandwidth', 'the host’s bandwidth'], ['storage', 'storage'],
  ['pin', 'pinning']];
const estimates = [['product_form', 'product form'], ['diffusion', 'diffusion'], ['autotune', 'tf.data autotune'],
  ['markov', 'Markov chain']];

function whereTable(view) {
  const solve = view.solve, rows = [];
  for (const [key, name] of bounds)
    if (isNumber(solve.bounds[key])) rows.push({name, value: solve.bounds[key], main: key === solve.bounds.bottleneck,
      kind: key === solve.bounds.bottleneck ? 'least' : 'bound'});
  for (const [key, name] of estimates)
    if (solve.estimates[key]) rows.push({name, value: solve.estimates[key].value, kind: 'estimate'});
  const simulated = solve.simulation.throughput.value;
  if (isNumber(simulated))
    rows.push({name: solve.simulation.replications > 0 ? 'simulated' : 'exact', value: simulated, main: true, kind: 'own'});
  if (isNumber(solve.bounds.lower)) rows.push({name: isNumber(solve.simulation.batches && solve.simulation.batches.value) ? 'in the long run' : 'lower bound', value: solve.bounds.lower, kind: 'bound'});
  const upper = isNumber(solve.bounds.upper) ? solve.bounds.upper : simulated;
  const most = 1.45 * Math.max(upper, simulated || 0);
  const x = value => (2 + 94 * Math.min(value / most, 1)).toFixed(2);
  const inks = {least: 'var(--amber)', bound: 'var(--muted)', own: 'var(--blue)', estimate: 'none'};
  const body = rows.map(row => {
    const away = row.value > most;
    const mark = away ? svg('text', {x: '98%', y: 14, 'text-anchor': 'end', fill: 'var(--muted)', 'font-size': 12}, '→')
      : svg('circle', {cx: x(row.value) + '%', cy: 10, r: row.kind === 'own' ? 6.5 : 5, fill: inks[row.kind],
        stroke: row.kind === 'estimate' ? 'var(--muted)' : 'none', 'stroke-width': 1.5});
    return el('tr', {class: row.main ? 'main' : row.kind === 'estimate' ? 'dim' : null},
      el('th', {scope: 'row'}, row.name),
      el('td', {class: 'bar'}, svg('svg', {'aria-hidden': 'true'},
        svg('line', {x1: 0, x2: '100%', y1: 10, y2: 10, stroke: 'var(--pale)'}),
        svg('line', {x1: x(upper) + '%', x2: x(upper) + '%', y1: 0, y2: 20, stroke: 'var(--amber)',
          'stroke-dasharray': '4 3'}), mark)),
      el('td', {}, digits(row.value, 3)));
  });
  return el('div', {}, el('h3', {}, 'Where the throughput lies'),
    el('p', {class: 'lead'}, 'Batches per second. No long run exceeds an upper bound; the dashed line is the smallest. ' +
      'Hollow: estimates by formula.'),
    el('table', {class: 'bars'}, el('tbody', {}, body)));
}

function waterfallTable(view) {
  const falls = view.waterfall;
  if (!falls) return null;
  const now = view.solve.simulation.throughput.value, step = view.solve.bounds.step;
  const most = Math.max(step, falls[falls.length - 1].throughput);
  const row = (name, from, to, ink, main) => el('tr', {class: main && 'main'}, el('th', {scope: 'row'}, name),
    el('td', {class: 'bar'}, svg('svg', {'aria-hidden': 'true'}, svg('rect', {x: 100 * from / most + '%', y: 4, height: 12,
      width: 100 * (to - from) / most + '%', fill: `var(--${ink})`}))),
    el('td', {}, digits(to, 3)), el('td', {}, from > 0 ? '+' + digits(to - from, 2) : ''));
  const starts = [now, ...falls.map(fall => fall.throughput)];
  return el('div', {}, el('h3', {}, 'From now to the step’s bound'),
    el('p', {class: 'lead'}, 'Batches per second. What holds the trainer back, removed one after the other from top to ' +
      'bottom, on the same random numbers: each bar is what that adds to all above.'),
    el('table', {class: 'bars'}, el('tbody', {}, row('now', 0, now, 'blue', true),
      falls.map((fall, i) => row(fall.name, starts[i], fall.throughput, 'red')),
      row('the step’s bound', 0, step, 'amber', true))));
}

function epochsTable(view) {
  const epochs = view.solve.epochs;
  if (!epochs) return null;
  const row = (name, of) => el('tr', {}, el('th', {scope: 'row'}, name), el('td', {}, time(of.seconds, 3)),
    el('td', {}, digits(of.throughput, 3)));
  return el('div', {class: 'scroll'}, el('table', {class: 'rows'},
    el('thead', {}, el('tr', {}, ['epoch', 'takes', 'batches/s'].map(name => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, row('the first', epochs.first), row('later ones', epochs.later))));
}

// -- a log: its iteration and its distributions --

function iterationBar(view) {
  const waiting = view.waiting;
  if (!waiting) return null;
  const wait = clamp(waiting.share, 0, 1);
  return el('div', {}, el('h3', {}, waiting.heading),
    svg('svg', {width: '100%', height: 52, role: 'img',
      'aria-label': `waiting for data ${waiting.text}, training ${percent(1 - wait)} %`},
      svg('rect', {width: wait * 100 + '%', height: 30, fill: 'var(--stall)', stroke: 'var(--stall-line)'}),
      svg('rect', {x: wait * 100 + '%', width: (1 - wait) * 100 + '%', height: 30, fill: 'var(--worked)'}),
      svg('text', {x: 0, y: 47, 'font-size': 13, fill: 'var(--ink)'}, `waits for data, ${waiting.text}`),
      svg('text', {x: '100%', y: 47, 'font-size': 13, fill: 'var(--ink)', 'text-anchor': 'end'},
        `trains, ${percent(1 - wait)} %`)));
}

// The change to make, or what would tell.
function adviceText(view) {
  const advice = view.advise;
  if (!advice) return null;
  const {change, gain, cost, record} = advice;
  return el('div', {}, el('h3', {}, 'The change to make'), el('p', {}, change.text),
    change.code ? el('pre', {}, change.code) : null, el('p', {}, gain.text), cost.text ? el('p', {}, cost.text) : null,
    record.length ? el('p', {class: 'lead'}, 'To be surer: ' + record.join(' ')) : null);
}

function fitTable(view) {
  const fit = view.fit;
  if (!fit || !fit.load) return null;
  const row = (name, of) => of && el('tr', {}, el('th', {scope: 'row'}, name), el('td', {}, of.distribution || '–'),
    el('td', {}, time(of.mean, 3)), el('td', {}, digits(of.cv, 2)), el('td', {}, time(of.median, 3)),
    el('td', {}, time(of.p99, 3)), el('td', {}, digits(of.ks, 2)));
  const replay = fit.replay, run = fit.prediction;
  return el('div', {}, el('h3', {}, 'The fitted model'),
    replay && isNumber(replay.error) ? el('p', {class: 'lead'}, `Replayed, it takes the log's loads at ` +
      `${digits(replay.predicted, 4)} batches/s; the log has ${digits(replay.measured, 4)} (${signed(replay.error)}).`) : null,
    (fit.cautions || []).map(caution => el('p', {class: 'caution'}, caution.text)),
    run && run.throughput ? el('p', {}, `Another run of ${run.batches.toLocaleString('en-US')} batches makes ` +
      `${digits(run.throughput.value, 4)} batches/s; 95 % of such runs make ${digits(run.throughput.low, 4)} to ` +
      `${digits(run.throughput.high, 4)}.`) : null,
    el('div', {class: 'scroll'}, el('table', {class: 'rows'}, el('thead', {}, el('tr', {},
      ['of a batch', 'distribution', 'mean', 'cv', 'median', '99 %', 'KS'].map(name => el('th', {scope: 'col'}, name)))),
      el('tbody', {}, row('load', fit.load), row('step', fit.step)))));
}

function ranksTable(view) {
  const ranks = view.diagnose.ranks;
  if (!ranks || ranks.length < 2) return null;
  const keys = ['rank', 'data_time', 'iter_time'].filter(key => key in ranks[0]);
  const cell = (rank, key) => {
    const value = rank[key];
    return key === 'rank' ? String(value) : time(value && isNumber(value.mean) ? value.mean : value, 3);
  };
  return el('div', {class: 'scroll'}, el('h3', {}, 'Ranks'), el('table', {class: 'rows'},
    el('thead', {}, el('tr', {}, keys.map(key => el('th', {scope: 'col'}, key.replace('_', ' '))))),
    el('tbody', {}, ranks.slice(0, 64).map(rank => el('tr', {}, keys.map(key => el('td', {}, cell(rank, key))))))));
}

// -- how many --

function planPart(view) {
  const plan = view.plan;
  if (!plan || !plan.table || plan.table.length === 0) return null;
  const key = plan.solve;
  const columns = [[key, row => String(row[key])], ['upper bound, 1/s', row => digits(row.upper, 3)],
    ['batches/s', row => digits(row.throughput && row.throughput.value, 3)],
    ['busy, %', row => percent(row.utilization && row.utilization.value)],
    ['±', row => row.utilization && half(row.utilization) > 0 ? digits(half(row.utilization) * 100, 1) : ''],
    ['99 % wait', row => time(row.wait_p99)],
    ['memory, GB', row => isNumber(row.memory_bytes) ? digits(row.memory_bytes / 1e9, 3) : ''],
    ['cost per hour', row => digits(row.cost_per_hour, 3)],
    ['cost per 10⁶ samples', row => digits(row.cost_per_million_samples, 3)],
    ['held back by', row => row.bound_by || '']];
  const shown = columns.filter(([, text]) => plan.table.some(row => text(row) !== '' && text(row) !== '–'));
  const isAnswer = row => plan.met && plan.answer && row[key] === plan.answer[key] && row.prefetch === plan.answer.prefetch
    && row.ranks === plan.answer.ranks;
  return [el('p', {}, plan.text), el('div', {class: 'scroll'}, el('table', {class: 'rows'},
    el('thead', {}, el('tr', {}, shown.map(([name]) => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, plan.table.map(row => el('tr', {class: isAnswer(row) ? 'answer' : null},
      shown.map(([, text], i) => el(i === 0 ? 'th' : 'td', {scope: i === 0 ? 'row' : null},
        text(row) + (i === 0 && isAnswer(row) ? ' ◂ answer' : '')))))))) ];
}

// -- explorer: a table of simulated points, and never anything between them --

function bytes(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

function makeGrid(view) {
  const grid = view.grid, axes = grid.axes, b = bytes(grid.b), h = bytes(grid.h), x = bytes(grid.x), u = bytes(grid.u);
  const strides = axes.map((_, a) => axes.slice(a + 1).reduce((product, axis) => product * axis.values.length, 1));
  const own = axes.map(axis => Math.max(0, axis.values.indexOf(axis.own)));
  const solve = view.solve, place = key => axes.findIndex(axis => axis.key === key);
  const loads = place('load'), steps = place('step'), counts = place('loaders'), most = grid.scale * 65535;
  const hasStep = Boolean(solve.simulation.utilization), parts = (raw, k) => raw[2 * k] + 256 * raw[2 * k + 1];
  const value = (at, a, other) => a >= 0 ? axes[a].values[at[a]] : other;
  const isOwn = at => at.every((i, a) => i === own[a]);
  const point = at => {
    const k = at.reduce((sum, i, a) => sum + i * strides[a], 0);
    const estimate = solve.simulation.throughput;
    const throughput = isOwn(at) ? estimate.value : grid.scale * parts(x, k);
    const width = isOwn(at) ? half(estimate) : h[k] === 0 ? 0 : throughput * 1e-4 * 2 ** ((h[k] - 1) / 16);
    const busy = !hasStep ? 0 : isOwn(at) ? solve.simulation.utilization.value : parts(u, k) / 65535;
    return {throughput, width, busy, level: hasStep ? busy : throughput / most, cause: isOwn(at) ? solve.verdict.bound_by : grid.causes[b[k]]};
  };
  const scaled = (key, at) => !isNumber(solve.bounds[key]) ? null
    : solve.bounds[key] * (key === 'step' ? solve.step.mean / value(at, steps, solve.step.mean)
      : value(at, counts, solve.loaders) / solve.loaders * solve.load.mean / value(at, loads, solve.load.mean));
  const cost = point => '$' + digits(grid.cost / point.throughput, 3);
  return {axes, own, point, isOwn, counts, scaled, hasStep, cost: grid.cost ? cost : null};
}

const sayAxis = {
  loaders: value => plural(value, 'loader'), prefetch: value => 'prefetch ' + value,
  load: value => 'loads of ' + time(value, 3), step: value => 'steps of ' + time(value, 3), cv: value => 'cv ' + short(value),
  delivery: (value, axis) => 'delivered ' + axis.labels[value],
};
const sayValue = (axis, i) => axis.labels ? axis.labels[i] : axis.unit === 's' ? time(axis.values[i], 3) : short(axis.values[i]);

function niceStep(range, most) {
  const raw = range / most, unit = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map(k => k * unit).find(step => step >= raw * (1 - 1e-9));
}

function drawCurve(holder, grid, at, target) {
  const width = clamp(holder.clientWidth || 700, 280, 760), small = width < 460, height = small ? 200 : Math.round(width * 0.48);
  const box = {left: 40, right: width - 14, top: 26, bottom: height - 32};
  const axis = grid.axes[grid.counts], counts = axis.values;
  const along = (base, i) => base.map((k, a) => a === grid.counts ? i : k);
  const line = counts.map((_, i) => grid.point(along(at, i)));
  const ghost = counts.map((_, i) => grid.point(along(grid.own, i)));
  const moved = !grid.isOwn(along(at, grid.own[grid.counts]));
  const stepBound = grid.scaled('step', at);
  const top = Math.max(...line.map(p => p.throughput + p.width), ...(moved ? ghost.map(p => p.throughput) : [0]), 1e-12);
  const most = (stepBound && stepBound < 3 * top ? Math.max(top, stepBound) : top) * 1.1;
  const x = count => box.left + (count / counts[counts.length - 1]) * (box.right - box.left);
  const y = rate => box.bottom - rate / most * (box.bottom - box.top);
  const path = points => points.map((p, i) => (i ? 'L' : 'M') + x(counts[i]).toFixed(1) + ' ' + y(p.throughput).toFixed(1)).join('');
  const text = (content, attributes) => svg('text', {'font-size': 12, fill: 'var(--muted)', ...attributes}, content);
  const picture = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'throughput over loaders'});
  const tick = niceStep(most, small ? 4 : 6);
  for (let rate = 0; rate <= most; rate += tick)
    picture.append(svg('path', {d: `M${box.left} ${y(rate)}H${box.right}`, stroke: rate ? 'var(--rule)' : 'var(--muted)'}),
      text(short(rate), {x: box.left - 6, y: y(rate) + 4, 'text-anchor': 'end'}));
  const each = Math.max(1, niceStep(counts[counts.length - 1], small ? 5 : 10));
  for (let count = each; count <= counts[counts.length - 1]; count += each)
    picture.append(text(String(count), {x: x(count), y: box.bottom + 16, 'text-anchor': 'middle'}));
  picture.append(text('batches/s', {x: box.left, y: 12}), text('loaders', {x: box.right, y: height - 2, 'text-anchor': 'end'}));
  const loadBound = grid.scaled('load', along(at, 0));
  if (loadBound) {
    const slope = loadBound / counts[0], last = Math.min(counts[counts.length - 1], most / slope);
    picture.append(svg('path', {d: `M${x(0)} ${y(0)}L${x(last)} ${y(slope * last)}`, stroke: 'var(--blue)',
      'stroke-dasharray': '2 4', 'stroke-width': 1.5}));
    if (last < counts[counts.length - 1] * 0.8 || !stepBound)
      picture.append(text('loading bound', {x: Math.min(x(last) + 8, box.right - 90), y: y(slope * last) + (small ? -3 : 10)}));
  }
  if (stepBound && stepBound <= most)
    picture.append(svg('path', {d: `M${box.left} ${y(stepBound)}H${box.right}`, stroke: 'var(--amber)', 'stroke-width': 1.5,
      'stroke-dasharray': '8 4'}), text('step bound', {x: box.right, y: y(stepBound) - 5, 'text-anchor': 'end'}));
  if (moved) picture.append(svg('path', {d: path(ghost), fill: 'none', stroke: 'var(--rule)', 'stroke-width': 3}));
  const own = grid.point(grid.own), ownCount = counts[grid.own[grid.counts]];
  picture.append(svg('path', {d: line.map((p, i) => (i ? 'L' : 'M') + x(counts[i]) + ' ' + y(p.throughput + p.width)).join('')
    + line.map((_, i, all) => all[all.length - 1 - i]).map((p, i) => 'L' + x(counts[counts.length - 1 - i]) + ' '
    + y(p.throughput - p.width)).join('') + 'z', fill: 'var(--sky)', stroke: 'none'}),
  svg('path', {d: path(line), fill: 'none', stroke: 'var(--blue)', 'stroke-width': 1.8}));
  if (counts.length <= 64)
    for (let i = 0; i < counts.length; i++)
      picture.append(svg('circle', {cx: x(counts[i]), cy: y(line[i].throughput), r: 2, fill: 'var(--blue)'}));
  if (!grid.isOwn(at)) picture.append(svg('circle', {cx: x(ownCount), cy: y(own.throughput), r: 4, fill: 'var(--muted)'}));
  const first = grid.hasStep ? line.findIndex(p => p.busy >= target) : -1;
  if (first >= 0) {
    const beyond = x(counts[first]) > width * 0.75;
    picture.append(svg('path', {d: `M${x(counts[first])} ${box.bottom}v-8`, stroke: 'var(--amber)', 'stroke-width': 3}),
      text(`${short(target * 100)} % from ${counts[first]}`, {x: x(counts[first]) + (beyond ? -5 : 5), y: box.bottom - 11,
        'text-anchor': beyond ? 'end' : 'start'}));
  }
  const here = line[at[grid.counts]], hx = x(counts[at[grid.counts]]), hy = y(here.throughput), flip = hx > width * 0.72;
  picture.append(svg('path', {d: `M${hx} ${hy}V${box.bottom}`, stroke: 'var(--ink)', 'stroke-dasharray': '2 3'}),
    svg('circle', {cx: hx, cy: hy, r: 6.5, fill: 'var(--blue)', stroke: 'var(--ink)', 'stroke-width': 1.5}),
    text(digits(here.throughput, 3) + (grid.hasStep ? ` · ${whole(here.busy)} %` : ''), {x: hx + (flip ? -10 : 10), y: hy + 18,
      'text-anchor': flip ? 'end' : 'start', fill: 'var(--ink)', 'font-weight': 'bold', stroke: 'var(--paper)',
      'stroke-width': 3, 'paint-order': 'stroke'}));
  holder.replaceChildren(picture);
  return {first: first < 0 ? null : counts[first], width, x, nearest: place => {
    const frame = picture.getBoundingClientRect(), wanted = (place - frame.left) / frame.width * width;
    return counts.reduce((best, count, i) => Math.abs(x(count) - wanted) < Math.abs(x(counts[best]) - wanted) ? i : best, 0);
  }};
}

const saidOf = (grid, p) => grid.hasStep ? whole(p.busy) + ' % busy' : digits(p.throughput, 3) + ' batches/s';

function makeSlider(grid, a, change, number) {
  const axis = grid.axes[a], id = `${axis.key}-${number}`, label = axis.label;
  if (axis.kind === 'choice') {
    const results = axis.values.map(() => el('small', {}));
    const inputs = axis.values.map((_, i) => el('input', {type: 'radio', name: id, value: i}));
    inputs.forEach((input, i) => input.addEventListener('change', () => change(a, i)));
    return {element: el('fieldset', {class: 'slider'}, el('legend', {}, label), el('div', {class: 'choices'},
      inputs.map((input, i) => el('label', {}, input, axis.labels[i], results[i])))),
    show(at, along) {
      inputs[at[a]].checked = true;
      along.forEach((p, i) => { results[i].textContent = saidOf(grid, p); });
    }};
  }
  const value = el('b', {}), last = axis.values.length - 1;
  const input = el('input', {type: 'range', id, min: 0, max: last, step: 1, name: axis.key});
  const scent = svg('svg', {viewBox: '0 0 100 40', preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  input.addEventListener('input', () => change(a, Number(input.value)));
  return {element: el('div', {class: 'slider'}, el('label', {for: id}, label, value), scent, input,
    el('div', {class: 'ends', 'aria-hidden': 'true'}, el('span', {}, sayValue(axis, 0)), el('span', {}, sayValue(axis, last)))),
  show(at, along, target) {
    const x = i => (last ? i / last * 100 : 50).toFixed(2), y = level => (38 - clamp(level, 0, 1.02) * 34).toFixed(2);
    const top = along.map((p, i) => `${x(i)} ${y(p.level)}`).join('L');
    const stroke = {'vector-effect': 'non-scaling-stroke', fill: 'none'};
    scent.replaceChildren(svg('path', {d: `M0 40L${top}L100 40z`, fill: 'var(--sky)'}),
      svg('path', {d: 'M' + top, stroke: 'var(--blue)', 'stroke-width': 1.6, ...stroke}),
      grid.hasStep ? svg('path', {d: `M0 ${y(target)}H100`, stroke: 'var(--amber)', 'stroke-dasharray': '3 3', ...stroke}) : '',
      svg('path', {d: `M${x(grid.own[a])} 40v-8`, stroke: 'var(--muted)', 'stroke-width': 2, ...stroke}),
      svg('path', {d: `M${x(at[a])} 40V${y(along[at[a]].level)}`, stroke: 'var(--ink)', 'stroke-width': 1.4, ...stroke}));
    input.value = at[a];
    value.textContent = sayValue(axis, at[a]);
    input.setAttribute('aria-valuetext', `${sayValue(axis, at[a])}: ${saidOf(grid, along[at[a]])}`);
  }};
}

// A heat map over loaders and a second axis, the others as set: a cell for each simulated point. It shares its x axis
// with the curve above it. choose(at) makes a point the chosen one.
function makeMap(grid, rows, target, number, choose) {
  const levels = [0.5, 0.7, 0.8, 0.9, 0.95, 0.99], shades = [0.05, 0.18, 0.32, 0.46, 0.62, 0.8, 1];
  const counts = grid.axes[grid.counts].values, axis = grid.axes[rows], high = 20, top = 44;
  const of = (at, i, k) => at.map((old, a) => a === grid.counts ? i : a === rows ? k : old);
  const shade = point => shades[levels.filter(level => point.level >= level).length];
  const reaches = point => grid.hasStep && point.busy >= target;
  const picture = svg('svg', {role: 'grid', tabindex: 0,
    'aria-label': `loaders by ${axis.label}: arrow keys choose a cell`});
  const said = el('p', {class: 'hint', 'aria-hidden': 'true'}), hover = svg('path', {fill: 'none', stroke: 'var(--ink)'});
  const id = (i, k) => `map-${number}-${k}-${i}`;
  const paths = axis.values.map((_, k) => counts.map((_, i) =>
    svg('path', {role: 'gridcell', id: id(i, k), fill: 'var(--blue)'})));
  const drawn = paths.map(row => svg('g', {role: 'row'}, row)); // made once: a move changes few of their attributes
  let at = grid.own, edges = [], cells = [], wide = 0;
  const say = (i, k) => `${sayAxis.loaders(counts[i])}, ${sayAxis[axis.key](axis.values[k], axis)}: ` +
    `${digits(cells[k][i].throughput, 3)} batches/s` + (grid.hasStep ? `, ${whole(cells[k][i].busy)} % busy` : '');
  // The price is one of time, so that the fastest points cost least; of those within half a percent, the fewest loaders.
  function findCheapest() {
    const least = 0.995 * Math.max(...cells.flat().map(point => point.throughput));
    for (let i = 0; i < counts.length; i++)
      for (let k = 0; k < axis.values.length; k++) if (cells[k][i].throughput >= least) return [i, k];
  }
  const y = k => top + (axis.values.length - 1 - k) * high;
  const outline = (i, k) => `M${edges[i]} ${y(k)}H${edges[i + 1]}v${high}H${edges[i]}z`;
  const rest = () => {
    hover.removeAttribute('d');
    said.textContent = 'Each cell is a simulated point: click it, or use the arrow keys.' + (grid.hasStep
      ? ` The dashed line is where the trainer gets ${short(target * 100)} % busy.` : '');
  };
  const under = event => { // the cell under the pointer
    const frame = picture.getBoundingClientRect(), scale = picture.viewBox.baseVal.width / frame.width;
    const x = (event.clientX - frame.left) * scale, row = Math.floor(((event.clientY - frame.top) * scale - top) / high);
    return [clamp(before(edges, edge => edge, x) - 1, 0, counts.length - 1), clamp(axis.values.length - 1 - row, 0,
      axis.values.length - 1)];
  };
  picture.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    picture.setPointerCapture(event.pointerId);
    choose(of(at, ...under(event)));
  });
  picture.addEventListener('pointermove', event => {
    const [i, k] = under(event);
    if (picture.hasPointerCapture(event.pointerId)) choose(of(at, i, k));
    hover.setAttribute('d', outline(i, k));
    said.textContent = say(i, k) + '.';
  });
  picture.addEventListener('pointerleave', rest);
  picture.addEventListener('keydown', event => {
    const [i, k] = [at[grid.counts], at[rows]], last = counts.length - 1;
    const way = {ArrowLeft: [i - 1, k], ArrowRight: [i + 1, k], ArrowUp: [i, k + 1], ArrowDown: [i, k - 1], Home: [0, k],
      End: [last, k]}[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(of(at, clamp(way[0], 0, last), clamp(way[1], 0, axis.values.length - 1)));
  });
  function show(chosen, width, x) {
    const text = (content, attributes) => svg('text', {'font-size': 12, fill: 'var(--muted)', ...attributes}, content);
    const bottom = top + axis.values.length * high, line = [];
    at = chosen;
    edges = counts.map((count, i) => i ? (x(counts[i - 1]) + x(count)) / 2 : x(count) - (x(counts[1]) - x(count)) / 2);
    edges.push(2 * x(counts[counts.length - 1]) - edges[counts.length - 1]);
    cells = axis.values.map((_, k) => counts.map((_, i) => grid.point(of(at, i, k))));
    cells.forEach((row, k) => row.forEach((point, i) => {
      if (i && reaches(point) !== reaches(row[i - 1])) line.push(`M${edges[i]} ${y(k)}v${high}`);
      if (k && reaches(point) !== reaches(cells[k - 1][i])) line.push(`M${edges[i]} ${y(k - 1)}H${edges[i + 1]}`);
      fill(paths[k][i], {d: wide === width ? null : outline(i, k), 'aria-label': say(i, k), 'fill-opacity': shade(point),
        'aria-selected': String(i === at[grid.counts] && k === at[rows])}, []);
    }));
    wide = width;
    const cheapest = grid.cost ? findCheapest() : null;
    const left = edges[0], own = [grid.own[grid.counts], grid.own[rows]];
    const strokes = (d, ...lines) => lines.map(([stroke, size, dash]) => svg('path', {d, fill: 'none',
      stroke: `var(--${stroke})`, 'stroke-width': size, 'stroke-dasharray': dash}));
    fill(picture, {viewBox: `0 0 ${width} ${bottom + 6}`, 'aria-activedescendant': id(at[grid.counts], at[rows])}, []);
    picture.replaceChildren(
      svg('g', {'aria-hidden': 'true'}, text(grid.hasStep ? 'trainer busy' : 'of the most', {x: left, y: 12}),
        shades.map((opacity, i) => svg('rect', {x: left + 92 + 28 * i, y: 2, width: 28, height: 12, fill: 'var(--blue)',
          'fill-opacity': opacity, stroke: 'var(--rule)'})),
        levels.map((level, i) => text(Math.round(level * 100) + (i === levels.length - 1 ? ' %' : ''),
          {x: left + 120 + 28 * i, y: 27, 'text-anchor': 'middle'})),
        text(axis.label, {x: 0, y: top - 5}),
        axis.values.map((_, k) => text(sayValue(axis, k), {x: left - 5, y: y(k) + 14, 'text-anchor': 'end'}))),
      ...drawn, svg('g', {'aria-hidden': 'true'},
        strokes(line.join('') || 'M0 0', ['paper', 4], ['amber', 2, '5 2']),
        strokes(outline(...own), ['paper', 4], ['muted', 1.5]),
        strokes(outline(at[grid.counts], at[rows]), ['paper', 6], ['ink', 3]),
        cheapest && text('$', {x: (edges[cheapest[0]] + edges[cheapest[0] + 1]) / 2, y: y(cheapest[1]) + 15, fill: 'var(--ink)',
          'text-anchor': 'middle', 'font-weight': 'bold', stroke: 'var(--paper)', 'stroke-width': 4, 'paint-order': 'stroke'}), hover));
    rest();
    return cheapest ? `${grid.cost(cells[cheapest[1]][cheapest[0]])} with ${sayAxis.loaders(counts[cheapest[0]])}, ` +
      `${sayAxis[axis.key](axis.values[cheapest[1]], axis)} ($ in the map)` : '';
  }
  return {element: el('div', {class: 'map'}, picture, said), show};
}

function explorePart(section, view, number) {
  if (!view.grid || view.grid.axes.length === 0) return;
  const grid = makeGrid(view), target = view.plan && view.plan.of === 'utilization' ? view.plan.target : 0.95;
  let at = grid.own.slice(), curve = null, spoken = 0;
  const sentence = el('p', {class: 'sentence'}), holder = el('div', {class: 'curve'}), code = el('code', {});
  const back = el('button', {type: 'button'}, 'Back to the report’s');
  const sliders = grid.axes.map((_, a) => makeSlider(grid, a, change, number));
  const rows = ['prefetch', 'load', 'step', 'cv'].map(key => grid.axes.findIndex(axis => axis.key === key))
    .find(a => a >= 0);
  const map = grid.counts >= 0 && rows !== undefined ? makeMap(grid, rows, target, number, move) : null;
  const count = view.grid.points.toLocaleString('en-US');
  section.append(
    el('p', {class: 'lead'}, `Every position was simulated beforehand, ${count} points; nothing is interpolated. The curve ` +
      `above a slider is what moving it does to utilization. A tick marks ${view.fit ? 'the fitted model: its commands take '
      + 'the file that dlqueue fit -o fitted.ini writes.' : 'the configuration of this report.'}` +
      (view.grid.note ? ' ' + view.grid.note : '')),
    el('div', {class: 'explore'}, el('div', {class: 'shown'}, sentence, holder), map && map.element,
      el('div', {class: 'sliders'}, sliders.map(slider => slider.element)),
      el('div', {class: 'command'}, code, copyButton(code), back)));
  if (grid.counts < 0) holder.hidden = true;

  function move(to, back) { // and with it the sliders of other configurations, back to their own
    const moved = grid.axes.filter((_, a) => to[a] !== at[a]).map(axis => [axis.key, axis.values[to[grid.axes.indexOf(axis)]]]);
    if (moved.length === 0) return;
    at = to;
    share(explorer, moved.map(([key, value]) => [key, back ? null : value]));
    show(true);
  }
  function change(a, i) { move(at.map((old, other) => other === a ? i : old)); }
  function show(tell) {
    const here = grid.point(at), own = grid.point(grid.own), isOwn = grid.isOwn(at);
    if (grid.counts >= 0) curve = drawCurve(holder, grid, at, target);
    const least = map ? map.show(at, curve.width, curve.x) : '';
    grid.axes.forEach((axis, a) => sliders[a].show(at,
      axis.values.map((_, i) => grid.point(at.map((k, other) => other === a ? i : k))), target));
    const names = grid.axes.map((axis, a) => sayAxis[axis.key](axis.values[at[a]], axis)).join(', ');
    const gain = here.throughput / own.throughput - 1, even = Math.abs(gain) < 0.0005;
    const width = here.width > 0 ? ' ' + within(here.throughput, here.width) : '';
    const need = grid.counts < 0 || !grid.hasStep ? '' : curve.first === null
      ? ` No count up to ${grid.axes[grid.counts].values.slice(-1)[0]} reaches ${short(target * 100)} %.`
      : ` ${short(target * 100)} % takes ${plural(curve.first, 'loader')} here.`;
    sentence.replaceChildren(names.charAt(0).toUpperCase() + names.slice(1) + ': ',
      el('b', {}, digits(here.throughput, 3) + ' batches/s'), width + (grid.hasStep ? `, ${whole(here.busy)} % busy` : ''),
      ...(isOwn ? [view.fit ? ', as fitted. ' : ', as reported. '] : [', ', el('span', {class: 'gain'}, even ? 'as much as' : signed(gain)),
        even ? ' now. ' : ' against now. ']), (view.grid.phrases[here.cause] || '') + need +
        (grid.cost ? ` ${view.grid.cost_of} costs ${grid.cost(here)} here${least && '; cheapest: ' + least}.` : ''));
    const changed = grid.axes.map((axis, a) => at[a] === grid.own[a] ? '' : ' ' + axis.option[at[a]]).join('');
    code.textContent = `dlqueue solve ${view.grid.file}${changed}`;
    back.disabled = isOwn;
    section.classList.toggle('unmoved', isOwn);
    if (!tell) return;
    tellAddress();
    clearTimeout(spoken);
    spoken = setTimeout(() => { document.querySelector('.status').textContent = sentence.textContent; }, 600);
  }

  back.addEventListener('click', () => move(grid.own, true));
  const drag = event => { if (curve && grid.counts >= 0) change(grid.counts, curve.nearest(event.clientX)); };
  holder.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    holder.setPointerCapture(event.pointerId);
    drag(event);
  });
  holder.addEventListener('pointermove', event => { if (holder.hasPointerCapture(event.pointerId)) drag(event); });
  section.hidden = false;
  const place = () => grid.axes.map((axis, a) => at[a] === grid.own[a] ? '' : `${axis.key}=${at[a]}`).filter(Boolean);
  const nearest = (values, value) => values.reduce((best, other, i) =>
    Math.abs(other - value) < Math.abs(values[best] - value) ? i : best, 0);
  const explorer = {show: () => show(false), place, here: () => grid.point(at), follow(moved) {
    for (const [key, value] of moved)
      at = at.map((i, a) => grid.axes[a].key !== key ? i : value === null ? grid.own[a] : nearest(grid.axes[a].values, value));
  }, restore(wanted) {
    at = grid.axes.map((axis, a) => wanted.has(axis.key) ? clamp(Number(wanted.get(axis.key)), 0, axis.values.length - 1)
      : grid.own[a]);
    share(explorer, grid.axes.map((axis, a) => [axis.key, wanted.has(axis.key) ? axis.values[at[a]] : null]));
    show(false);
  }};
  return explorer;
}

// -- player: a recorded run --

const light = ['#332288', '#88ccee', '#44aa99', '#117733', '#ddcc77', '#aa4499', '#999933', '#cc6677', '#882255'];
const onDark = ['#7a68e0', '#88ccee', '#44aa99', '#2f9e58', '#ddcc77', '#c060b0', '#a8a83c', '#cc6677', '#c05a86'];

function readRecord(record) {
  const batches = [], steps = [], unit = record.unit;
  let start = 0, receive = 0;
  record.start.forEach((delta, i) => {
    start += delta;
    const batch = {index: record.batch ? record.batch[i] : i, worker: record.worker[i], start: start * unit,
      end: (start + record.load[i]) * unit, received: Infinity, done: Infinity};
    if (record.receive[i] !== null && i < record.receive.length) {
      receive += record.receive[i];
      batch.received = receive * unit;
      batch.done = (receive + record.step[i]) * unit;
      batch.trained = batch.done - (record.pause ? record.pause[i] * unit : 0);
      steps.push(batch);
    }
    batches.push(batch);
  });
  steps.forEach((step, i) => {
    const asked = i ? steps[i - 1].done : 0;
    step.wait = Math.max(0, step.received - asked);
    step.asked = asked;
    step.waited = (i ? steps[i - 1].waited : 0) + step.wait;
  });
  const stall = record.stall || 0;
  const stalls = steps.filter(step => step.wait > Math.max(stall, unit));
  const times = new Set([0, record.end]);
  for (const batch of batches)
    for (const moment of [batch.start, batch.end, batch.received, batch.trained, batch.done])
      if (moment <= record.end) times.add(Number(moment.toFixed(6)));
  return {batches, steps, stalls, events: [...times].sort((a, b) => a - b), end: record.end, ordered: record.ordered,
    slow: (record.slow || []).map(([worker, from, until, speed]) => ({worker, from: from * unit, until: until * unit, speed})),
    loaders: Math.max(1, record.loaders), window: record.window > 0 ? record.window : 0};
}

function before(list, key, value) { // how many of the sorted list are <= value
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(list[middle]) <= value) low = middle + 1; else high = middle;
  }
  return low;
}

function momentOf(run, t) {
  const taken = before(run.steps, step => step.received, t);
  const current = taken > 0 && run.steps[taken - 1].done > t ? run.steps[taken - 1] : null;
  const next = run.steps[taken] || null;
  const finished = taken - (current ? 1 : 0);
  const waited = taken > 0 ? run.steps[taken - 1].waited : 0;
  const waiting = !current && t < run.end;
  const since = taken > 0 ? run.steps[taken - 1].done : 0;
  const loaded = run.batches.filter(batch => batch.end <= t && batch.received > t);
  let ready = loaded, held = [];
  if (run.ordered) {
    loaded.sort((a, b) => a.index - b.index);
    let expected = taken > 0 ? run.steps[taken - 1].index + 1 : 0;
    const k = loaded.findIndex(batch => batch.index !== expected++);
    if (k >= 0) [ready, held] = [loaded.slice(0, k), loaded.slice(k)];
  } else loaded.sort((a, b) => a.received - b.received);
  const working = new Map();
  for (const batch of run.batches) if (batch.start <= t && batch.end > t) working.set(batch.worker, batch);
  const idle = t > 0 ? (waited + (waiting ? t - since : 0)) / t : 0;
  return {t, current, next, finished, waiting, ready, held, working, idle};
}

function sayMoment(run, moment) {
  const loader = moment.next && moment.waiting && run.loaders > 1 ? `, which loader ${moment.next.worker + 1} ` +
    (moment.next.start > moment.t ? 'has not begun' : moment.next.end > moment.t ? 'loads' : 'has loaded') : '';
  const trainer = moment.current && moment.t >= moment.current.trained ? 'The training pauses.'
    : moment.current ? `Trainer on batch ${moment.current.index}.`
    : moment.waiting && moment.next ? `Trainer waits for batch ${moment.next.index}${loader}.` : 'The record ends.';
  const behind = moment.held.length ? `, ${moment.held.length} held behind batch ${blocker(run, moment)}` : '';
  const slowed = run.slow.filter(phase => phase.from <= moment.t && phase.until > moment.t);
  const slow = slowed.length ? ` Slowed to ${whole(Math.min(...slowed.map(phase => phase.speed)))} %` +
    (slowed.length < run.loaders ? `: loader ${slowed.map(phase => phase.worker + 1).join(', ')}.` : '.') : '';
  return `${time(moment.t, 4)}. ${trainer}${slow} ${moment.working.size} of ${plural(run.loaders, 'loader')} ` +
    `${moment.working.size === 1 ? 'works' : 'work'}; ${plural(moment.ready.length, 'batch').replace('batchs', 'batches')} ` +
    `ready${behind}. Idle ${whole(moment.idle)} % so far.`;
}

function blocker(run, moment) {
  const from = moment.ready.length ? moment.ready[moment.ready.length - 1].index + 1
    : moment.current ? moment.current.index + 1 : moment.next ? moment.next.index : 0;
  return from;
}

function watchPart(section, view) {
  if (!view.record) return;
  const run = readRecord(view.record), canvas = el('canvas', {role: 'img', tabindex: 0});
  const words = el('p', {class: 'moment'}), clock = el('span', {class: 'clock'});
  const slider = el('input', {type: 'range', min: 0, max: 10000, step: 1, 'aria-label': 'time in the run'});
  const button = (name, what) => {
    const made = el('button', {type: 'button'}, name);
    made.addEventListener('click', what);
    return made;
  };
  const play = button('Play', () => toggle());
  play.classList.add('primary');
  const speed = el('select', {'aria-label': 'speed'},
    [0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, 50].map(value => el('option', {value}, value + '×')));
  const steps = run.steps.filter(step => step.done <= run.end * (1 + 1e-9)).length, meanStep = run.end / Math.max(1, steps);
  speed.value = meanStep < 0.004 ? 0.01 : meanStep < 0.04 ? 0.1 : meanStep > 5 ? 10 : 1;
  const finding = view.timeline && view.timeline.finding ? view.timeline.finding + '. ' : '';
  section.append(el('p', {class: 'lead'}, `${finding}${view.diagnose ? 'The' : 'A'} ${view.diagnose ? 'recorded' : 'simulated'} run, ` +
      `batch by batch: the first ${time(run.end, 3)}, ${plural(steps, 'step')}, ${plural(run.stalls.length, 'stall')}. ` +
      'Space plays, arrows go from event to event, S to the next stall.'),
    el('div', {class: 'watch'}, canvas, slider, el('div', {class: 'controls'}, play,
      button('Previous event', () => jump(-1)), button('Next event', () => jump(1)), button('Next stall', nextStall),
      el('label', {}, 'Speed ', speed), clock), words));
  section.hidden = false;

  let now = clamp(view.record.at || 0, 0, run.end), playing = false, last = 0, timer = 0, frame = 0;
  const longest = run.stalls.reduce((most, step) => Math.max(most, step.wait), 0);
  const meanLoad = run.batches.reduce((sum, batch) => sum + batch.end - batch.start, 0) / Math.max(1, run.batches.length);
  const span = Math.min(run.end, Math.max(4 * meanLoad, 25 * meanStep, 1.2 * longest));
  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let scale = 1;

  function draw() {
    frame = 0;
    const width = canvas.clientWidth || 900, small = width < 560;
    const dark = matchMedia('(prefers-color-scheme: dark)').matches && !matchMedia('print').matches;
    const palette = dark ? onDark : light, ink = style('--ink'), muted = style('--muted'), paper = style('--paper');
    const rule = style('--rule'), stallFill = style('--stall'), stallLine = style('--stall-line'), worked = style('--worked');
    const paused = dark ? '#9d7fc4' : '#7d5ba6', slowed = '#ee7733';
    const left = small ? 0 : 68, wide = width - left - 1, gap = 4;
    const columns = Math.min(run.loaders, Math.max(1, Math.floor(wide / 30)));
    const cell = Math.min(64, (wide - gap * (columns - 1)) / columns), lines = Math.ceil(run.loaders / columns);
    const cellHigh = lines > 2 ? 20 : 46;
    const places = Math.min(128, Math.max(run.window, 4)), slot = 30, inLine = Math.max(1, Math.floor(wide / (slot + 2)));
    const queueLines = Math.ceil(places / inLine);
    const rowHigh = clamp(Math.floor(360 / run.loaders), 4, 19);
    const head = small ? 18 : 6;
    const y = {};
    y.strip = 12 + (small ? 14 : 0);
    y.cells = y.strip + 20 + 6 + head;
    y.queue = y.cells + lines * (cellHigh + gap) + head;
    y.trainer = y.queue + queueLines * 32 + head;
    y.rows = y.trainer + 34 + 10 + head;
    y.last = y.rows + run.loaders * rowHigh + 8;
    const high = y.last + 24 + 22;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(high * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(high * scale);
      canvas.style.height = high + 'px';
    }
    const c = canvas.getContext('2d');
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.clearRect(0, 0, width, high);
    c.textBaseline = 'middle';
    const moment = momentOf(run, now), color = worker => palette[((worker % palette.length) + palette.length) % palette.length];
    const text = (content, x, ty, ofColor, align = 'left', bold = false) => {
      c.font = `${bold ? 'bold ' : ''}12px "DejaVu Sans", Verdana, sans-serif`;
      c.textAlign = align;
      c.fillStyle = ofColor;
      c.fillText(content, x, ty);
    };
    const name = (content, top, tall) => small ? text(content, 0, top - 9, muted) : text(content, left - 9, top + tall / 2, muted, 'right');
    const rect = (x, ty, w, h, fillColor, alpha = 1) => {
      c.globalAlpha = alpha;
      c.fillStyle = fillColor;
      c.fillRect(x, ty, Math.max(w, 0.5), h);
      c.globalAlpha = 1;
    };
    const hatch = (x, ty, w, h) => {
      rect(x, ty, w, h, stallFill);
      c.save();
      c.beginPath();
      c.rect(x, ty, w, h);
      c.clip();
      c.strokeStyle = stallLine;
      c.globalAlpha = 0.55;
      c.lineWidth = 1;
      c.beginPath();
      for (let k = Math.floor((x - h) / 6) * 6; k < x + w; k += 6) { c.moveTo(k, ty + h); c.lineTo(k + h, ty); }
      c.stroke();
      c.restore();
    };
    const label = (content, x, ty, align = 'center') => {
      c.font = 'bold 12px "DejaVu Sans", Verdana, sans-serif';
      const w = c.measureText(content).width + 8;
      rect(align === 'center' ? x - w / 2 : x, ty - 9, w, 18, paper, 0.86);
      text(content, align === 'center' ? x : x + 4, ty, ink, align, true);
    };

    // the whole run
    name('whole run', y.strip, 20);
    rect(left, y.strip, wide, 20, worked);
    const overall = t => left + t / run.end * wide;
    for (const phase of run.slow) rect(overall(phase.from), y.strip - 3, (phase.until - phase.from) / run.end * wide, 3, slowed);
    for (const step of run.steps)
      if (step.wait > 0 && step.asked < run.end)
        rect(overall(step.asked), y.strip, (Math.min(step.received, run.end) - step.asked) / run.end * wide, 20, stallFill);
    for (const step of run.steps)
      if (step.trained < Math.min(step.done, run.end))
        rect(overall(step.trained), y.strip, (Math.min(step.done, run.end) - step.trained) / run.end * wide, 20, paused);
    const from = clamp(now - 0.27 * span, 0, Math.max(0, run.end - span)), until = from + span;
    c.strokeStyle = ink;
    c.lineWidth = 1.5;
    c.strokeRect(overall(from), y.strip - 4, span / run.end * wide, 28);
    rect(overall(now) - 1, y.strip - 4, 2, 28, ink);

    // loaders
    name('loaders', y.cells, cellHigh);
    for (let w = 0; w < run.loaders; w++) {
      const x = left + (w % columns) * (cell + gap), ty = y.cells + Math.floor(w / columns) * (cellHigh + gap);
      const batch = moment.working.get(w);
      rect(x, ty, cell, cellHigh, batch ? color(w) : rule, batch ? 0.28 : 0.35);
      if (batch) {
        const share = (now - batch.start) / Math.max(batch.end - batch.start, 1e-12);
        rect(x, ty + cellHigh * (1 - share), cell, cellHigh * share, color(w));
        if (cell >= 26) label(String(batch.index), x + cell / 2, ty + cellHigh / 2);
      }
      c.strokeStyle = batch ? color(w) : rule;
      c.lineWidth = 1;
      c.strokeRect(x + 0.5, ty + 0.5, cell - 1, cellHigh - 1);
    }

    // queue
    name('queue', y.queue, 28);
    const queued = moment.ready.map(batch => [batch, false]).concat(moment.held.map(batch => [batch, true]));
    const place = i => [left + (i % inLine) * (slot + 2), y.queue + Math.floor(i / inLine) * 32];
    for (let i = 0; i < Math.max(places, 0); i++) {
      const [x, ty] = place(i), entry = queued[i];
      if (entry) {
        rect(x, ty, slot, 28, color(entry[0].worker), entry[1] ? 0.4 : 1);
        if (entry[1]) { c.setLineDash([3, 2]); c.strokeStyle = ink; } else c.strokeStyle = color(entry[0].worker);
        c.strokeRect(x + 0.5, ty + 0.5, slot - 1, 27);
        c.setLineDash([]);
        label(String(entry[0].index), x + slot / 2, ty + 14);
      } else { c.strokeStyle = rule; c.strokeRect(x + 0.5, ty + 0.5, slot - 1, 27); }
    }
    const free = wide - Math.min(places, inLine) * (slot + 2);
    const told = `${moment.ready.length} ready` + (moment.held.length ? `, ${moment.held.length} held behind batch ${blocker(run, moment)}` : '');
    if (!small && free > 230) text(told, width - 2, y.queue + 14, muted, 'right');

    // trainer
    name('trainer', y.trainer, 34);
    if (moment.current) {
      const step = moment.current, pauses = now >= step.trained, own = pauses ? paused : color(step.worker);
      const [begin, end] = pauses ? [step.trained, step.done] : [step.received, step.trained];
      const share = (now - begin) / Math.max(end - begin, 1e-12);
      rect(left, y.trainer, 76, 34, own, 0.28);
      rect(left, y.trainer, 76 * share, 34, own);
      label(pauses ? 'pause' : 'batch ' + step.index, left + 38, y.trainer + 17);
    } else if (moment.waiting) {
      hatch(left, y.trainer, 76, 34);
      if (moment.next) label(`waits for batch ${moment.next.index}` + (run.loaders > 1 ? ` on loader ${moment.next.worker + 1}` : ''),
        left + 84, y.trainer + 17, 'left');
    }
    if (!small) text(`${plural(moment.finished, 'batch').replace('batchs', 'batches')} · idle ${whole(moment.idle)} %`, width - 2,
      y.trainer + 17, muted, 'right');

    // who did what around now: what has not happened yet is faint
    const x = t => left + (t - from) / span * wide;
    if (small) text('each loader, then the trainer', 0, y.rows - 9, muted);
    c.save();
    c.beginPath();
    c.rect(left, 0, wide + 1, high);
    c.clip();
    const tick = niceStep(span, small ? 4 : 10);
    for (let t = Math.ceil(from / tick) * tick; t < until; t += tick) rect(x(t), y.rows, 1, y.last + 24 - y.rows, rule);
    const bar = (begin, end, ty, h, ofColor) => {
      if (end <= from || begin >= until) return;
      rect(x(begin), ty, x(Math.min(end, until)) - x(begin) - 1, h, ofColor, 0.36);
      if (begin < now) rect(x(begin), ty, x(Math.min(end, now, until)) - x(begin) - (end <= now ? 1 : 0), h, ofColor);
    };
    for (const batch of run.batches) {
      const ty = y.rows + batch.worker * rowHigh;
      bar(batch.start, batch.end, ty, rowHigh - (rowHigh > 6 ? 2 : 1), color(batch.worker));
      const begin = Math.max(x(batch.start), left);
      if (rowHigh >= 14 && x(Math.min(batch.end, until)) - begin > 26 && batch.end > from && batch.start < until)
        label(String(batch.index), begin + 15, ty + rowHigh / 2 - 1);
    }
    for (const step of run.steps) {
      if (step.wait > 0 && step.received > from && step.asked < until) {
        const begin = Math.max(x(step.asked), left), w = Math.min(x(step.received), left + wide) - begin;
        hatch(begin, y.last, w, 24);
        if (w > 84) label('stall ' + time(step.wait), begin + w / 2, y.last + 12);
      }
      bar(step.received, step.trained, y.last, 24, color(step.worker));
      if (step.trained < step.done) {
        bar(step.trained, step.done, y.last, 24, paused);
        const begin = Math.max(x(step.trained), left), w = Math.min(x(step.done), left + wide) - begin;
        if (w > 84) label('pause ' + time(step.done - step.trained), begin + w / 2, y.last + 12);
      }
    }
    for (const phase of run.slow)
      if (phase.until > from && phase.from < until)
        rect(Math.max(x(phase.from), left), y.rows + phase.worker * rowHigh, Math.min(x(phase.until), left + wide) -
          Math.max(x(phase.from), left), Math.max(2, rowHigh / 6), slowed);
    rect(x(now) - 1, y.rows - 3, 2, y.last + 27 - y.rows, ink);
    for (let t = Math.ceil(from / tick) * tick; t < until - tick * 0.3; t += tick)
      text(short(Number(t.toPrecision(6))) + ' s', Math.max(x(t), left + 12), y.last + 36, muted, 'center');
    c.restore();
    if (!small) {
      for (let w = 0; w < run.loaders && rowHigh >= 14; w++)
        text('loader ' + (w + 1), left - 9, y.rows + w * rowHigh + rowHigh / 2 - 1, muted, 'right');
      if (rowHigh < 14) text('loaders', left - 9, y.rows + run.loaders * rowHigh / 2, muted, 'right');
      text('trainer', left - 9, y.last + 12, muted, 'right');
    }
    const said = sayMoment(run, moment);
    canvas.setAttribute('aria-label', said);
    words.textContent = said;
    clock.textContent = `${time(now, 3)} of ${time(run.end, 3)}`;
    slider.value = Math.round(now / run.end * 10000);
    slider.setAttribute('aria-valuetext', `${time(now, 3)}: ${moment.current ? 'trains' : 'waits'}`);
  }
  const redraw = () => { if (!frame) frame = requestAnimationFrame(draw); };
  function goTo(t) { now = clamp(t, 0, run.end); redraw(); }
  function jump(way) {
    stop();
    const k = before(run.events, t => t, now + 1e-9);
    goTo(way > 0 ? run.events[Math.min(k, run.events.length - 1)]
      : run.events[Math.max(0, k - 1 - (run.events[k - 1] > now - 1e-6 ? 1 : 0))]);
  }
  function nextStall() {
    stop();
    const next = run.stalls.find(step => step.asked > now + 1e-6) || run.stalls[0];
    if (next) goTo(next.asked);
  }
  function tickOn(stamp) {
    if (!playing) return;
    if (last) goTo(now + Math.min(stamp - last, 100) / 1000 * Number(speed.value));
    last = stamp;
    if (now >= run.end) return stop();
    requestAnimationFrame(tickOn);
  }
  function stop() {
    playing = false;
    clearInterval(timer);
    play.textContent = 'Play';
  }
  function toggle() {
    if (playing) return stop();
    playing = true;
    last = 0;
    play.textContent = 'Pause';
    if (now >= run.end) now = 0;
    if (!calm.matches) return void requestAnimationFrame(tickOn);
    timer = setInterval(() => {
      const k = before(run.events, t => t, now + 1e-9);
      if (k >= run.events.length) stop(); else goTo(run.events[k]);
    }, 500);
  }
  slider.addEventListener('input', () => { stop(); goTo(slider.value / 10000 * run.end); });
  const keys = {' ': toggle, ArrowRight: () => jump(1), ArrowLeft: () => jump(-1), s: nextStall, S: nextStall,
    Home: () => { stop(); goTo(0); }, End: () => { stop(); goTo(run.end); }};
  section.addEventListener('keydown', event => {
    const own = event.target.tagName;
    if (own === 'SELECT' || (own === 'BUTTON' && event.key === ' ') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const drag = event => {
    const frameOf = canvas.getBoundingClientRect(), left = frameOf.width < 560 ? 0 : 68, wide = frameOf.width - left - 1;
    const share = (event.clientX - frameOf.left - left) / wide;
    if (drag.whole) return goTo(share * run.end);
    goTo(drag.from - (event.clientX - drag.x) / wide * span);
  };
  canvas.addEventListener('pointerdown', event => {
    stop();
    const top = event.clientY - canvas.getBoundingClientRect().top;
    drag.whole = top < 46;
    drag.from = now;
    drag.x = event.clientX;
    canvas.setPointerCapture(event.pointerId);
    if (drag.whole) drag(event);
  });
  canvas.addEventListener('pointermove', event => { if (canvas.hasPointerCapture(event.pointerId)) drag(event); });
  const rescale = to => { scale = to; draw(); };
  addEventListener('beforeprint', () => rescale(3));
  addEventListener('afterprint', () => rescale(devicePixelRatio || 1));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  return {show: () => rescale(devicePixelRatio || 1), stop};
}

// -- the page --

function build(view, number) {
  const article = document.getElementById('report-' + number);
  const part = name => article.querySelector(`section[data-part=${name}]`);
  const figures = article.querySelector('.figures'), rows = view.diagnose ? figuresOfLog(view) : figuresOfSolve(view);
  figures.append(...rows);
  figures.hidden = rows.length === 0;
  const helps = [];
  if (view.diagnose) helps.push(adviceText(view), iterationBar(view), fitTable(view), ranksTable(view));
  if (view.solve) {
    const where = [waterfallTable(view), whereTable(view)];
    helps.push(leversTable(view), ...(view.diagnose ? where : [el('div', {class: 'stack'}, where)]), epochsTable(view));
  }
  const there = helps.filter(Boolean);
  if (there.length) {
    part('helps').append(el('div', {class: 'pair'}, there));
    part('helps').hidden = false;
  }
  const explorer = view.solve ? explorePart(part('explore'), view, number) : null;
  const player = watchPart(part('watch'), view);
  const plan = planPart(view);
  if (plan) {
    part('plan').append(...plan);
    part('plan').hidden = false;
  }
  for (const text of article.querySelectorAll('[data-part=helps] pre, pre.commands')) {
    const row = el('div', {class: 'copied'});
    text.before(row);
    row.append(text, copyButton(text));
  }
  article.querySelectorAll('figure.chart').forEach(chart => chart.append(downloadButton(() =>
    chart.querySelector(narrow.matches ? '.narrow svg' : '.wide svg'), chart.getAttribute('aria-label').replace(/\W+/g, '-'))));
  const nav = article.querySelector('.parts');
  for (const section of article.querySelectorAll('section[data-part]'))
    if (!section.hidden) nav.append(el('a', {href: '#' + section.id}, section.querySelector('h2').textContent));
  nav.hidden = false;
  return {article, explorer, player};
}

const parts = views.map((view, i) => build(view, i + 1));
const tabs = [];

let opened = 0, together = null;
const standing = []; // by view, the cells that say what its sliders make

// Moves the sliders of all other views, if the user wants that: each to its nearest simulated value.
function share(from, moved) {
  for (const {explorer} of parts) if (explorer && explorer !== from && together && together.checked) explorer.follow(moved);
  showStanding();
}
function showStanding() {
  parts.forEach(({explorer}, i) => {
    const point = explorer && explorer.here();
    if (point && standing[i]) standing[i].textContent = digits(point.throughput, 3) + (point.busy ? ` · ${whole(point.busy)} %` : '');
  });
}

// The address holds the open view and where its sliders stand, so that a copy of it shows the same.
function tellAddress() {
  const explorer = parts[opened].explorer;
  const place = (views.length > 1 ? ['view=' + opened] : []).concat(explorer ? explorer.place() : []).join('&');
  history.replaceState(null, '', place ? '#at:' + place : location.pathname + location.search);
}
function obeyAddress() {
  const match = /^#at:((?:[a-z_]{1,20}=\d{1,4})(?:&[a-z_]{1,20}=\d{1,4})*)$/.exec(location.hash);
  const wanted = new Map(match ? match[1].split('&').map(pair => pair.split('=')) : []);
  if (match) choose(clamp(Number(wanted.get('view') || 0), 0, views.length - 1));
  if (match && parts[opened].explorer) parts[opened].explorer.restore(wanted);
}

function choose(number) {
  opened = number;
  parts.forEach((part, i) => {
    part.article.hidden = i !== number;
    if (i !== number && part.player) part.player.stop();
    if (tabs[i]) tabs[i].setAttribute('aria-pressed', String(i === number));
  });
  if (parts[number].explorer) parts[number].explorer.show();
  if (parts[number].player) parts[number].player.show();
}

// What differs between the runs before and after a change.
function movesTable(moves) {
  const names = {iteration: 'an iteration', wait: 'its wait for data', step: 'its step', load: 'a load',
    wait_p99: 'the wait that 1 % exceed', ranks: 'the latest rank, after the mean one'};
  const at = share => 50 + 50 * clamp(share, -1, 1) + '%';
  const rows = moves.map(move => {
    const {value, low, high} = move.difference, share = of => move.before > 0 ? of / move.before : 0, left = Math.min(value, 0);
    return el('tr', {class: move.moved ? null : 'dim'}, el('th', {scope: 'row'}, names[move.name] || move.name),
      el('td', {}, time(move.before, 3)), el('td', {}, time(move.after, 3)),
      el('td', {class: 'bar'}, svg('svg', {'aria-hidden': 'true'},
        svg('rect', {x: at(share(left)), y: 4, width: 50 * Math.min(1, share(Math.abs(value))) + '%', height: 12,
          fill: !move.moved ? 'var(--rule)' : value > 0 ? 'var(--red)' : 'var(--green)'}),
        svg('line', {x1: at(share(low)), x2: at(share(high)), y1: 10, y2: 10, stroke: 'var(--ink)', 'stroke-width': 1.5}),
        svg('line', {x1: '50%', x2: '50%', y1: 0, y2: 20, stroke: 'var(--muted)'}))),
      el('td', {}, !move.moved ? 'not proven' : move.before > 0 ? signed(share(value)) : time(value, 2)));
  });
  return [el('p', {class: 'lead'}, 'Means over iterations. Bars to the left are gains: the change as a share of the time ' +
    'before, from −100 % to +100 %, with 99 % intervals.'),
  el('div', {class: 'scroll'}, el('table', {class: 'bars'}, el('thead', {}, el('tr', {}, ['', 'before', 'after', '', 'change'].map(
    name => el('th', {scope: 'col', class: name ? 'number' : null}, name)))), el('tbody', {}, rows)))];
}

function compare() {
  const section = document.querySelector('.compare');
  if (!section || views.length < 2) return;
  if (data.compare) document.querySelector('.comparison').append(...movesTable(data.compare.moves),
    ...data.compare.cautions.map(caution => el('p', {class: 'caution'}, caution.text)));
  const mean = view => view.diagnose.iter_time && view.diagnose.iter_time.mean;
  const rate = view => data.compare ? 1 / mean(view) : view.solve.simulation.throughput.value, first = rate(views[0]);
  const columns = [[data.compare ? 'iterations/s' : 'batches/s', view => digits(rate(view), 3)],
    ['to the first', view => view === views[0] ? '' : '×\u202f' + digits(rate(view) / first, 3)],
    ...(data.compare ? [['an iteration', view => time(mean(view), 3)],
      ['waits, %', view => view.waiting ? percent(view.waiting.share) : '–'],
      ['loaders', view => isNumber(view.diagnose.loaders) ? String(view.diagnose.loaders) : '–'],
      ['held back by', view => view.diagnose.verdict.bound_by || '–']]
      : [['busy, %', view => view.solve.simulation.utilization ? percent(view.solve.simulation.utilization.value) : '–'],
        ['mean wait', view => time(view.solve.simulation.wait_mean && view.solve.simulation.wait_mean.value)],
        ['stalls every', view => isNumber(view.solve.simulation.period) ? digits(view.solve.simulation.period, 2) : '–'],
        ['held back by', view => view.solve.verdict.bound_by || '–']])];
  const explored = !data.compare && views.some(view => view.grid);
  const rows = views.map((view, i) => {
    const name = data.compare ? ['before: ', 'after: '][i] + view.diagnose.log : view.solve.name;
    const button = el('button', {type: 'button', 'aria-pressed': 'false'}, name);
    button.addEventListener('click', () => {
      choose(i);
      tellAddress();
    });
    tabs.push(button);
    return el('tr', {}, el('th', {scope: 'row'}, button), columns.map(([, text]) => el('td', {}, text(view))),
      explored && (standing[i] = el('td', {}, '–')));
  });
  section.append(el('div', {class: 'scroll'}, el('table', {class: 'rows'}, el('thead', {}, el('tr', {},
    [data.compare ? 'run' : 'configuration', ...columns.map(([name]) => name), ...(explored ? ['at the sliders'] : [])].map(name => el('th', {scope: 'col'}, name)))),
  el('tbody', {}, rows))));
  if (explored) {
    together = el('input', {type: 'checkbox', checked: true});
    section.append(el('label', {class: 'together'}, together, ' The sliders of all configurations move together'));
    showStanding();
  }
  section.hidden = false;
}

compare();
choose(0);
obeyAddress();
addEventListener('hashchange', obeyAddress);
document.addEventListener('click', event => { // links within the page keep the address of the sliders
  const link = event.target.closest('a[href^="#"]');
  if (!link || !location.hash.startsWith('#at:')) return;
  const goal = document.getElementById(link.hash.slice(1));
  event.preventDefault();
  goal.setAttribute('tabindex', '-1');
  goal.focus({preventScroll: true});
  goal.scrollIntoView();
});
let width = innerWidth;
addEventListener('resize', () => {
  if (innerWidth === width) return;
  width = innerWidth;
  parts.forEach(part => {
    if (part.article.hidden) return;
    if (part.explorer) part.explorer.show();
    if (part.player) part.player.show();
  });
});
narrow.addEventListener('change', () => parts.forEach(part => part.explorer && !part.article.hidden && part.explorer.show()));

})();
