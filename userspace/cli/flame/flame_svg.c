// SPDX-License-Identifier: GPL-2.0-only
/*
 * The picture: one SVG file that needs nothing else. Without a script, as in a mail or on a page of a
 * repository, it is a picture with a title on each frame; the script (flame.js) adds zoom, search and the
 * choice of a container, and fits it to the window.
 */
#include <stdlib.h>
#include <string.h>
#include "flame/flame.h"

#define WIDTH	1200.0
#define SIDE	10.0		/* margin */
#define ROW	17u		/* of a frame, px */
#define TOP	76u		/* title, buttons, legend, containers */
#define NARROW	0.1		/* px: what is narrower is not drawn */
#define CHARACTER	6.6	/* px of the font below, about */

static const char script[] = {
#include "flame_script.h"
};

/* The background is the root element's, so that the whole window has it. */
static const char style[] =
	":root{color-scheme:light dark;background:#fff}"
	"text{font:12px Verdana,DejaVu Sans,sans-serif;fill:#222}"
	".f{cursor:pointer}.f rect{stroke:#fff;stroke-width:.5}.f text{pointer-events:none}"
	".f:hover rect,.f:focus rect{stroke:#000;stroke-width:1.5}.f{outline:none}"
	".b{cursor:pointer;fill:#06c}#title{font-size:16px;font-weight:bold}.dim{opacity:.45}"
	".hit rect{fill:#d4f !important}"
	"@media (prefers-color-scheme:dark){:root{background:#14171b}.b{fill:#7bf}"
	"#title,#info,#match,.l{fill:#ddd}.f rect{stroke:#14171b}.f:hover rect,.f:focus rect{stroke:#fff}}";

/* What a colour means, in the order of the legend. */
enum colour { CONTAINER, PROGRAM, USER, KERNEL, IDLE, COLOURS };
static const char *const meanings[COLOURS] = { "container", "program", "user code", "kernel", "idle" };

static enum colour colour_of(const struct flame_node *n)
{
	if (n->depth == 1)
		return CONTAINER;
	if (n->depth == 2)
		return strcmp(n->name, "swapper") ? PROGRAM : IDLE;
	return n->kernel ? KERNEL : USER;
}

/* x and y, of a byte each, tell names apart that mean the same kind of frame. */
static void put_shade(struct sbuf *b, enum colour c, unsigned int x, unsigned int y)
{
	switch (c) {
	case CONTAINER:
		sbuf_printf(b, "rgb(%u,%u,%u)", 120 + x / 8, 160 + y / 8, 215);
		break;
	case PROGRAM:
		sbuf_printf(b, "rgb(%u,%u,%u)", 130 + x / 8, 205 + y / 16, 130 + x / 8);
		break;
	case USER:
		sbuf_printf(b, "rgb(%u,%u,%u)", 232 + x / 16, 170 + y / 6, 60 + x / 4);
		break;
	case KERNEL:
		sbuf_printf(b, "rgb(%u,%u,%u)", 224 + x / 16, 110 + y / 6, 80 + x / 6);
		break;
	default:
		sbuf_puts(b, "#c8c8c8");
	}
}

/* The same name has the same colour in every picture. */
static void put_colour(struct sbuf *b, const struct flame_node *n)
{
	uint32_t h = 2166136261u;
	unsigned int x, y;

	for (const char *s = n->name; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	x = h >> 8 & 0xff;
	y = h >> 16 & 0xff;
	put_shade(b, n->depth ? colour_of(n) : IDLE, x, y);
}

/* Only what the picture has. */
static void put_legend(struct sbuf *b, const struct flame *f)
{
	bool has[COLOURS] = { false };
	double x = SIDE;

	for (size_t i = 1; i < f->n; i++)
		has[colour_of(&f->v[i])] = true;
	sbuf_puts(b, "<g id=\"legend\">");
	for (enum colour c = CONTAINER; c < COLOURS && !f->compared; c++) {
		if (!has[c])
			continue;
		sbuf_printf(b, "<rect x=\"%.0f\" y=\"34\" width=\"10\" height=\"10\" fill=\"", x);
		put_shade(b, c, 128, 128);
		sbuf_printf(b, "\"/><text class=\"l\" x=\"%.0f\" y=\"43\">%s</text>", x + 14, meanings[c]);
		x += 24 + CHARACTER * (double)strlen(meanings[c]);
	}
	sbuf_puts(b, "</g>\n");
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/*
 * Of a comparison: red has a larger share than before, blue a smaller one; twice or half is the full colour.
 */
static void put_difference(struct sbuf *b, const struct flame *f, const struct flame_node *n)
{
	double now = share(n->total, f->v[0].total), old = share(n->old_total, f->v[0].old_total);
	double by = now > old ? (now - old) / now : old > now ? (now - old) / old : 0;
	unsigned int pale;

	by = by > .5 ? .5 : by < -.5 ? -.5 : by;
	pale = (unsigned int)(250 - 360 * (by < 0 ? -by : by));
	if (by >= 0)
		sbuf_printf(b, "rgb(250,%u,%u)", pale, pale);
	else
		sbuf_printf(b, "rgb(%u,%u,250)", pale, pale);
}

static void put_title(struct sbuf *b, const struct flame *f, const struct flame_form *form, const struct flame_node *n)
{
	double now = 100 * share(n->total, f->v[0].total), old;

	sbuf_puts(b, "<title>");
	if (n->depth)
		sbuf_markup(b, n->name, strlen(n->name));
	else
		sbuf_puts(b, "all");
	sbuf_printf(b, " (%llu %s, %.2f%%", (unsigned long long)n->total, form->unit, now);
	if (f->compared) {
		old = 100 * share(n->old_total, f->v[0].old_total);
		sbuf_printf(b, "; before %llu, %.2f%%; %+.2f", (unsigned long long)n->old_total, old, now - old);
	}
	sbuf_puts(b, ")</title>");
}

struct picture {
	const struct flame *f;
	const struct flame_form *form;
	FILE *out;
	struct sbuf b;
	double scale;		/* px of one unit */
	uint32_t rows;		/* that have a frame which is drawn */
};

static double y_of(const struct picture *p, uint32_t depth)
{
	return TOP + (double)(p->form->icicle ? depth : p->rows - 1 - depth) * ROW;
}

static void put_frame(struct picture *p, const struct flame_node *n, double x, double w)
{
	struct sbuf *b = &p->b;
	size_t len = strlen(n->name), room = (size_t)((w - 6) / CHARACTER);
	double y = y_of(p, n->depth);

	sbuf_reset(b);
	sbuf_printf(b, "<g class=\"f\" data-x=\"%.3f\" data-w=\"%.3f\" data-d=\"%u\" ", x, w, n->depth);
	sbuf_printf(b, "data-v=\"%llu\" data-k=\"%llu\">", (unsigned long long)n->total,
		    (unsigned long long)n->in_kernel);
	put_title(b, p->f, p->form, n);
	sbuf_printf(b, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%u\" fill=\"", SIDE + x, y, w, ROW - 1);
	if (p->f->compared && n->depth)
		put_difference(b, p->f, n);
	else
		put_colour(b, n);
	sbuf_printf(b, "\"/><text x=\"%.2f\" y=\"%.0f\" data-n=\"", SIDE + x + 3, y + 12);
	sbuf_markup(b, n->depth ? n->name : "all", n->depth ? len : 3);
	sbuf_puts(b, "\">");
	if (w >= 6 + 3 * CHARACTER && n->depth) {
		size_t cut = len <= room ? len : room - 2;

		/* do not cut a character */
		while (cut < len && cut && ((unsigned char)n->name[cut] & 0xc0) == 0x80)
			cut--;
		sbuf_markup(b, n->name, cut);
		sbuf_puts(b, cut < len ? ".." : "");
	} else if (!n->depth) {
		sbuf_puts(b, "all");
	}
	sbuf_puts(b, "</text></g>\n");
	fwrite(b->s, 1, b->len, p->out);
}

/* Walks the frames that are wide enough, callers first; draws them, or finds the number of rows. */
static void walk(struct picture *p, bool draw)
{
	const struct flame_node *v = p->f->v;
	double *x = xcalloc((size_t)p->f->depth + 2, sizeof(x[0]));
	uint32_t i = 0;

	x[0] = x[1] = 0;
	for (;;) {
		double w = (double)v[i].total * p->scale;
		uint32_t d = v[i].depth;
		bool wide = w >= NARROW;

		if (wide && draw)
			put_frame(p, &v[i], x[d], w);
		if (wide && d >= p->rows)
			p->rows = d + 1;
		if (wide && v[i].child) {
			x[d + 1] = x[d];
			i = v[i].child;
			continue;
		}
		while (i && !v[i].next) {
			x[v[i].depth] += (double)v[i].total * p->scale;
			i = v[i].parent;
		}
		if (!i)
			break;
		x[v[i].depth] += (double)v[i].total * p->scale;
		i = v[i].next;
	}
	free(x);
}

void flame_svg(const struct flame *f, const struct flame_form *form, FILE *out)
{
	struct picture p = { .f = f, .form = form, .out = out };
	unsigned int height;
	struct sbuf *b = &p.b;

	p.scale = f->v[0].total ? (WIDTH - 2 * SIDE) / (double)f->v[0].total : 0;
	walk(&p, false);
	p.rows = p.rows ?: 1;
	height = TOP + p.rows * ROW + 30;
	sbuf_printf(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
		    "viewBox=\"0 0 %.0f %u\" width=\"100%%\" preserveAspectRatio=\"xMidYMin meet\" "
		    "role=\"img\">\n<style>%s</style>\n", WIDTH, height, style);
	sbuf_puts(b, "<text id=\"title\" x=\"10\" y=\"22\">");
	sbuf_markup(b, form->title, strlen(form->title));
	sbuf_puts(b, "</text>\n<text id=\"reset\" class=\"b\" x=\"1000\" y=\"22\" visibility=\"hidden\">reset zoom</text>"
		  "<text id=\"search\" class=\"b\" x=\"1120\" y=\"22\">search</text>"
		  "<g id=\"containers\"></g>\n");
	put_legend(b, f);
	fwrite(b->s, 1, b->len, out);
	walk(&p, true);
	sbuf_reset(b);
	sbuf_printf(b, "<text id=\"info\" data-unit=\"%s\" x=\"10\" y=\"%u\">", form->unit, height - 10);
	sbuf_printf(b, f->v[0].total ? "%llu %s" : "no stacks: 'ctrace record' samples them",
		    (unsigned long long)f->v[0].total, form->unit);
	if (f->compared)
		sbuf_puts(b, "; red: a larger share than before, blue: a smaller one");
	sbuf_printf(b, "</text><text id=\"match\" x=\"1190\" y=\"%u\" text-anchor=\"end\"></text>\n", height - 10);
	sbuf_puts(b, "<script><![CDATA[\n");
	fwrite(b->s, 1, b->len, out);
	fwrite(script, 1, sizeof(script), out);
	fputs("]]></script>\n</svg>\n", out);
	sbuf_free(b);
}
